import type { ApiKey } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { fieldOf, onSubmit } from '../../pages/form.ts';
import type { Session } from '../api/session.ts';
import { isOwner, nameOf } from './key-texts.ts';
import { chosenScopes, daysFromNow, limitIn } from './new-key.ts';

/** `onChanged` reloads the list of keys. */
export function openChangeKey(session: Session, onChanged: () => Promise<void>): (key: ApiKey) => void {
  const dialog = byId('change-key-dialog', HTMLDialogElement);
  const form = byId('change-key-form', HTMLFormElement);
  const scopes = byId('change-key-scopes', HTMLFieldSetElement);
  const expiry = byId('change-key-expiry');
  const boxes = [...form.querySelectorAll<HTMLInputElement>('[name=scopes]')];
  const input = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  let changing: ApiKey | undefined;

  function checkScopes(): void {
    const isMissing = !scopes.hidden && !boxes.some(({ checked }) => checked);
    boxes[0]?.setCustomValidity(isMissing ? 'Choose at least one.' : '');
  }
  form.addEventListener('change', checkScopes);

  onSubmit(form, 'Saving…', async (fields) => {
    const key = changing as ApiKey;
    const days = fieldOf(fields, 'days');
    const expiresAt = days === '0' ? null : daysFromNow(Number(days));
    await session.client.updateKey(key.id, {
      label: fieldOf(fields, 'label'),
      dailyLimit: limitIn(fields) ?? null,
      // An owner key always has all scopes, and expires only with its user.
      ...(!isOwner(key) && { scopes: chosenScopes(fields), ...(days !== '' && { expiresAt }) }),
    });
    dialog.close();
    await onChanged();
    return undefined;
  });
  byId('change-key-cancel').addEventListener('click', () => dialog.close());

  return (key) => {
    changing = key;
    form.reset();
    form.querySelector('.problem')?.replaceChildren();
    byId('change-key-note').textContent = `${nameOf(key)}${key.start === null ? '' : `, ${key.start}…`}`;
    input('label').value = key.label ?? '';
    input('dailyLimit').value = key.dailyLimit === null ? '' : String(key.dailyLimit);
    for (const box of boxes) box.checked = key.scopes.some((scope) => scope === box.value);
    scopes.hidden = isOwner(key);
    expiry.hidden = isOwner(key);
    checkScopes();
    dialog.showModal();
  };
}
