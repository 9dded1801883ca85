import { byId, copyButton } from '../../pages/dom.ts';
import { onSubmit } from '../../pages/form.ts';
import { warnBeforeLeaving } from '../api/key-store.ts';
import type { Session } from '../api/session.ts';
import { chosenScopes, NEW_KEY, openKeyFields, termsIn } from './key-fields.ts';
import { openKeyGuide } from './key-guide.ts';
import { adviceFor, isForPages, ORIGINS, validityInWords } from './key-texts.ts';

/** `onCreated` reloads the list of keys. */
export function openNewKey(session: Session, onCreated: () => Promise<void>): () => void {
  const dialog = byId('new-key-dialog', HTMLDialogElement);
  const form = byId('new-key-form', HTMLFormElement);
  const fields = openKeyFields(form);
  const created = byId('new-key-created');
  const text = byId('new-key-text');
  // Each of the texts contains the key.
  const onCopied = () => warnBeforeLeaving(false);
  const guide = openKeyGuide(byId('new-key-guide'), session.baseUrl, onCopied);
  copyButton(byId('new-key-copy'), { shown: text, onCopied });

  function showAdvice(): void {
    byId('new-key-use').textContent = adviceFor({ scopes: chosenScopes(new FormData(form)) });
  }
  form.addEventListener('change', showAdvice);

  onSubmit(form, 'Creating key…', async (given) => {
    const { expiresAt, ...terms } = termsIn(given, Date.now());
    const key = await session.client.createKey({ ...terms, expiresAt: expiresAt ?? undefined });
    text.textContent = key.apiKey;
    guide.show(key, key.apiKey);
    warnBeforeLeaving(true);
    byId('new-key-validity').textContent = validityInWords(key.expiresAt, session.user?.validUntil);
    byId('new-key-advice').textContent = isForPages(key)
      ? `This key is for web pages. ${ORIGINS}`
      : 'Save it where you keep your passwords.';
    form.hidden = true;
    created.hidden = false;
    byId('new-key-created-title').focus();
    await onCreated();
    return undefined;
  });

  byId('new-key-cancel').addEventListener('click', () => dialog.close());
  byId('new-key-done').addEventListener('click', () => dialog.close());
  // The key cannot be shown again, so Escape must not close the dialog.
  dialog.addEventListener('cancel', (event) => {
    if (!created.hidden) event.preventDefault();
  });
  dialog.addEventListener('close', () => {
    warnBeforeLeaving(false);
    text.textContent = '';
    guide.clear();
  });

  return () => {
    form.reset();
    form.querySelector('.problem')?.replaceChildren();
    form.hidden = false;
    created.hidden = true;
    fields.show(NEW_KEY, undefined);
    showAdvice();
    dialog.showModal();
  };
}
