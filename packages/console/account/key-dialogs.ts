import type { ApiKey } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId, copyButton } from '../../pages/dom.ts';
import { onSubmit } from '../../pages/form.ts';
import { onDateAt } from '../../pages/format.ts';
import { warnBeforeLeaving } from '../api/key-store.ts';
import type { Session } from '../api/session.ts';
import { chosenOrigins, chosenScopes, isForUrls, NEW_KEY, openKeyFields, termsIn } from './key-fields.ts';
import { openKeyGuide } from './key-guide.ts';
import { adviceFor, corsInWords, isForPages, isOwner, nameOf, validityInWords } from './key-texts.ts';

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
    const fields = new FormData(form);
    const [scopes, allowedOrigins] = [chosenScopes(fields), chosenOrigins(fields)];
    byId('new-key-use').textContent = adviceFor({ scopes, allowedOrigins }, isForUrls(fields));
  }
  // On `change`, a longer text would move the button while the user clicks it.
  form.addEventListener('input', showAdvice);

  onSubmit(form, 'Creating key…', async (given) => {
    const { expiresAt, ...options } = termsIn(given, serviceNow());
    const key = await session.client.createKey({ ...options, expiresAt: expiresAt ?? undefined });
    // Programs that cannot send headers need the base URL, which contains the key.
    text.textContent = key.url ?? key.apiKey;
    const terms = { ...key, url: key.url !== null };
    guide.show(terms, key.apiKey);
    warnBeforeLeaving(true);
    byId('new-key-validity').textContent = validityInWords(key.expiresAt, session.user?.validUntil);
    byId('new-key-advice').textContent = isForPages(key)
      ? `This key is for web pages. ${corsInWords(key)}`
      : 'Save it where you keep your passwords.';
    form.hidden = true;
    created.hidden = false;
    byId('new-key-created-title').focus();
    await onCreated();
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
      const { label, dailyLimit = null, scopes, expiresAt, allowedOrigins } = termsIn(given, serviceNow());
      await session.client.updateKey(key.id, {
        label,
        dailyLimit,
        // An owner key has no other terms.
        ...(!isOwner(key) && { scopes, expiresAt, allowedOrigins }),
      });
      dialog.close();
      await onChanged();
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
