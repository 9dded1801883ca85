import { byId } from '../core/dom.ts';
import { onDateAt } from '../core/format.ts';
import type { Access } from '../session/session.ts';
import { expiryInWords, type Renewal, renewalOf } from './renewal.ts';

/** The line of the allowance panel that states when the key expires, with a button that renews it. */
export function openValidity() {
  const text = byId('validity');
  const renew = byId('renew');
  let access: Access = 'unknown';
  let shown: { validUntil: Date; resetsAt: Date | undefined } | undefined;

  /** Whether the key can renew the account now, as far as this page has read it. */
  const renewal = (): Renewal =>
    shown ? renewalOf({ access, ...shown }, Date.now()) : { isPossible: false, from: undefined };

  function update(): void {
    if (!shown) return;
    const isRestricted = access === 'none';
    const { isPossible, from } = renewal();
    const words = [expiryInWords(isRestricted ? 'account' : 'key', shown.validUntil, Date.now())];
    if (isRestricted) words.push('Renew it with the owner key.');
    else if (from) words.push(`It can be renewed from ${onDateAt(from)}.`);
    text.textContent = words.join(' ');
    renew.hidden = !isPossible;
  }

  return {
    renewal,
    /** `resetsAt` is the end of the running period, undefined where it is not known. */
    show(validUntil: Date, resetsAt: Date | undefined): void {
      shown = { validUntil, resetsAt };
      update();
    },
    setAccess(next: Access): void {
      access = next;
      update();
    },
    clear(): void {
      shown = undefined;
      access = 'unknown';
      text.textContent = '\u00a0';
      renew.hidden = true;
    },
  };
}
