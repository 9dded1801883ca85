import type { Notices } from '../../client/index.ts';
import { byId, copyButton } from '../../pages/dom.ts';
import { fieldOf, onSubmit } from '../../pages/form.ts';
import { problemNote, toError } from '../../pages/problem.ts';
import type { Session } from '../api/session.ts';
import { thresholdsIn } from './allowance.ts';

/** `onSettings` receives the webhook URL when it is read or saved. */
export function openNotices(session: Session, onSettings: (webhookUrl: string | null) => void) {
  const panel = byId('notices');
  const form = byId('notices-form', HTMLFormElement);
  const secret = byId('webhook-secret');
  const secretText = byId('webhook-secret-text');
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  copyButton(byId('webhook-secret-copy'), { shown: secretText });

  function show({ email, webhookUrl, thresholds }: Omit<Notices, 'webhookSecret'>): void {
    field('email').checked = email;
    field('webhookUrl').value = webhookUrl ?? '';
    field('thresholds').value = thresholds.join(', ');
    onSettings(webhookUrl);
  }

  function showSecret(text: string | undefined): void {
    secret.hidden = text === undefined;
    secretText.textContent = text ?? '';
  }

  onSubmit(
    form,
    'Saving…',
    async (fields) => {
      const webhookUrl = fieldOf(fields, 'webhookUrl').trim();
      const saved = await session.client.setNotices({
        email: fields.has('email'),
        webhookUrl: webhookUrl === '' ? null : webhookUrl,
        thresholds: thresholdsIn(fieldOf(fields, 'thresholds')),
      });
      show(saved);
      showSecret(saved.webhookSecret);
      return 'Saved.';
    },
    { keeps: true },
  );

  function clear(): void {
    panel.hidden = true;
    showSecret(undefined);
    form.querySelector('.sent')?.replaceChildren();
    form.querySelector('.problem')?.replaceChildren();
  }

  return {
    /** Shows the settings, unless the service sends no email. */
    async load(): Promise<void> {
      const { client, user } = session;
      clear();
      byId('notices-address').textContent = user?.email ?? '';
      try {
        const notices = await client.notices();
        if (client !== session.client) return;
        show(notices);
        panel.hidden = false;
      } catch (thrown) {
        const error = toError(thrown);
        // A service without email has no settings. Problems with the key appear in the banner.
        if (client !== session.client || error.code === 'mail_not_configured' || error.status === 401) return;
        form.querySelector('.problem')?.replaceChildren(problemNote(error));
        panel.hidden = false;
      }
    },
  };
}
