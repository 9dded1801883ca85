import { byId, copyButton } from '../../pages/dom.ts';
import { fieldOf, onSubmit } from '../../pages/form.ts';
import { warnBeforeLeaving } from '../api/key-store.ts';
import type { Session } from '../api/session.ts';
import { adviceFor, agentConfiguration, claudeCommand, isForPages, ORIGINS, validityInWords } from './key-texts.ts';

const DAY = 86_400_000;

/** The time in a number of days, as the expiry fields offer it. */
export const daysFromNow = (days: number) => new Date(Date.now() + days * DAY);

/** The daily limit in a form; undefined for an empty field. */
export const limitIn = (fields: FormData): number | undefined => Number(fieldOf(fields, 'dailyLimit')) || undefined;

export const chosenScopes = (fields: FormData) => fields.getAll('scopes').map(String) as ('prices' | 'node')[];

/** `onCreated` reloads the list of keys. */
export function openNewKey(session: Session, onCreated: () => Promise<void>): () => void {
  const dialog = byId('new-key-dialog', HTMLDialogElement);
  const form = byId('new-key-form', HTMLFormElement);
  const created = byId('new-key-created');
  const text = byId('new-key-text');
  const agent = byId('new-key-agent', HTMLDetailsElement);
  const [command, configuration] = [byId('new-key-claude'), byId('new-key-json')];
  // Each of the texts contains the key.
  const onCopied = () => warnBeforeLeaving(false);
  copyButton(byId('new-key-copy'), { shown: text, onCopied });
  copyButton(byId('new-key-claude-copy'), { shown: command, onCopied });
  copyButton(byId('new-key-json-copy'), { shown: configuration, onCopied });

  function showKey(apiKey: string): void {
    const baseUrl = session.baseUrl.replace(/\/$/, '');
    text.textContent = apiKey;
    command.textContent = apiKey && claudeCommand(baseUrl, apiKey);
    configuration.textContent = apiKey && agentConfiguration(baseUrl, apiKey);
    agent.open = false;
  }

  const firstScope = form.querySelector<HTMLInputElement>('[name=scopes]');

  function showAdvice(): void {
    const scopes = chosenScopes(new FormData(form));
    byId('new-key-use').textContent = adviceFor({ scopes });
    firstScope?.setCustomValidity(scopes.length === 0 ? 'Choose at least one.' : '');
  }
  form.addEventListener('change', showAdvice);
  form.addEventListener('reset', () => queueMicrotask(showAdvice));

  onSubmit(form, 'Creating key…', async (fields) => {
    const scopes = chosenScopes(fields);
    const days = Number(fieldOf(fields, 'days'));
    const key = await session.client.createKey({
      label: fieldOf(fields, 'label'),
      scopes,
      ...(days > 0 && { expiresAt: daysFromNow(days) }),
      dailyLimit: limitIn(fields),
    });
    showKey(key.apiKey);
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
    showKey('');
  });

  return () => {
    form.reset();
    form.querySelector('.problem')?.replaceChildren();
    form.hidden = false;
    created.hidden = true;
    showAdvice();
    dialog.showModal();
  };
}
