import { byId, copyButton } from '../core/dom.ts';
import type { Session } from '../session/session.ts';
import { expiryInWords } from './renewal.ts';

/** The view of a new key, which is shown only once. `onContinue`: the user has saved it. */
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
      byId('created-key-validity').textContent = user
        ? expiryInWords('key', user.validUntil, Date.now())
        : '';
      remember.checked = session.isRemembered();
    },
    clear(): void {
      key.textContent = '';
    },
  };
}
