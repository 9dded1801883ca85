import type { ApiKey } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { onSubmit } from '../../pages/form.ts';
import { onDateAt } from '../../pages/format.ts';
import type { Session } from '../api/session.ts';
import { openKeyFields, termsIn } from './key-fields.ts';
import { isOwner, nameOf } from './key-texts.ts';

/** `onChanged` reloads the list of keys. */
export function openChangeKey(session: Session, onChanged: () => Promise<void>): (key: ApiKey) => void {
  const dialog = byId('change-key-dialog', HTMLDialogElement);
  const form = byId('change-key-form', HTMLFormElement);
  const fields = openKeyFields(form);
  let changing: ApiKey | undefined;

  onSubmit(
    form,
    'Saving…',
    async (given) => {
      const key = changing as ApiKey;
      const { label, dailyLimit = null, scopes, expiresAt, allowedOrigins } = termsIn(given, Date.now());
      await session.client.updateKey(key.id, {
        ...{ label, dailyLimit },
        // An owner key has no other terms.
        ...(!isOwner(key) && { scopes, expiresAt, allowedOrigins }),
      });
      dialog.close();
      await onChanged();
      return undefined;
    },
    { keeps: true },
  );
  byId('change-key-cancel').addEventListener('click', () => dialog.close());

  return (key) => {
    changing = key;
    form.reset();
    form.querySelector('.problem')?.replaceChildren();
    byId('change-key-note').textContent = `${nameOf(key)}${key.start === null ? '' : `, ${key.start}…`}`;
    const ends = key.expiresAt === null ? 'with the account' : `on ${onDateAt(key.expiresAt)}`;
    fields.show(key, `as now, ${ends}`);
    fields.restrict(isOwner(key));
    dialog.showModal();
  };
}
