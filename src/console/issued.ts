import { byId, copyFrom } from './dom.ts';
import type { Session } from './session.ts';

/** Shows the key of the session, this once. `onDone` when it was stored. */
export function openIssued(session: Session, onDone: () => void) {
  const key = byId('issued-key');
  const remember = byId('issued-remember', HTMLInputElement);
  copyFrom(byId('issued-copy'), () => session.key);
  remember.addEventListener('change', () => session.setRemembered(remember.checked));
  byId('issued-go').addEventListener('click', () => {
    key.textContent = '';
    onDone();
  });
  return {
    show(): void {
      key.textContent = session.key;
      remember.checked = session.isRemembered();
    },
    /** It is not on the page any more. */
    hide(): void {
      key.textContent = '';
    },
  };
}
