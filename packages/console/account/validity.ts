import { serviceNow } from '../../pages/clock.ts';
import { byId, copyButton } from '../../pages/dom.ts';
import { onDateAt } from '../../pages/format.ts';
import type { Access, Session } from '../api/session.ts';

export function openValidity() {
  const text = byId('validity');
  const renew = byId('renew');
  let access: Access = 'unknown';
  let shown: { validUntil: Date; resetsAt: Date | undefined } | undefined;

  const renewal = (): Renewal =>
    shown ? renewalOf({ access, ...shown }, serviceNow()) : { isPossible: false, from: undefined };

  function update(): void {
    if (!shown) return;
    const isRestricted = access === 'none';
    const { isPossible, from } = renewal();
    const words = [expiryInWords(isRestricted ? 'account' : 'key', shown.validUntil, serviceNow())];
    if (isRestricted) words.push('Renew it with the owner key.');
    else if (from) words.push(`It can be renewed from ${onDateAt(from)}.`);
    text.textContent = words.join(' ');
    renew.hidden = !isPossible;
  }

  return {
    renewal,
    /** `resetsAt` is the end of the current period, or undefined if unknown. */
    show(validUntil: Date, resetsAt: Date | undefined): void {
      shown = { validUntil, resetsAt };
      update();
    },
    setAccess(next: Access): void {
      access = next;
      update();
    },
  };
}

/** Shows a new key. `onContinue` runs when the user confirms that the key is saved. */
export function openKeyCreated(session: Session, onContinue: () => void) {
  const key = byId('created-key');
  const remember = byId('created-key-remember', HTMLInputElement);
  copyButton(byId('created-key-copy'), { shown: key, onCopied: session.setSaved });
  remember.addEventListener('change', () => session.setRemembered(remember.checked));
  byId('created-key-continue').addEventListener('click', () => {
    key.textContent = '';
    session.setSaved();
    onContinue();
  });
  return {
    show(): void {
      key.textContent = session.key;
      const { user } = session;
      byId('created-key-validity').textContent = user ? expiryInWords('key', user.validUntil, serviceNow()) : '';
      remember.checked = session.isRemembered();
    },
  };
}

/** When renewal becomes possible, or undefined if it is possible now. `resetsAt` is the end of the current period. */
export const renewableFrom = (validUntil: Date, resetsAt: Date, now: number): Date | undefined =>
  now < validUntil.getTime() && validUntil > resetsAt ? resetsAt : undefined;

type Known = { access: Access; validUntil: Date; resetsAt: Date | undefined };
/** `from` is the time from which the account can be renewed, if known and in the future. */
export type Renewal = { isPossible: boolean; from: Date | undefined };

/** While the access is unknown, only an expired account counts as renewable. */
function renewalOf({ access, validUntil, resetsAt }: Known, now: number): Renewal {
  if (validUntil.getTime() <= now) return { isPossible: access !== 'none', from: undefined };
  const from = resetsAt && renewableFrom(validUntil, resetsAt, now);
  return { isPossible: access === 'owner' && resetsAt !== undefined && from === undefined, from };
}

export const expiryInWords = (subject: 'key' | 'account', validUntil: Date, now: number): string =>
  `The ${subject} ${validUntil.getTime() > now ? 'expires' : 'expired'} on ${onDateAt(validUntil)}.`;
