import { serviceNow } from '../../pages/clock.ts';
import { byId, copyButton } from '../../pages/dom.ts';
import { onDateAt } from '../../pages/format.ts';
import type { Access, Session } from '../api/session.ts';

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
export function renewalOf({ access, validUntil, resetsAt }: Known, now: number): Renewal {
  if (validUntil.getTime() <= now) return { isPossible: access !== 'none', from: undefined };
  const from = resetsAt && renewableFrom(validUntil, resetsAt, now);
  return { isPossible: access === 'owner' && resetsAt !== undefined && from === undefined, from };
}

export const expiryInWords = (subject: 'key' | 'account', validUntil: Date, now: number): string =>
  `The ${subject} ${validUntil.getTime() > now ? 'expires' : 'expired'} on ${onDateAt(validUntil)}.`;
