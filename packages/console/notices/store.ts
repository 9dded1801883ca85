import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { QuotientError, WebhookDelivery } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import type { Fields } from '../../pages/components/form.tsx';
import { toError } from '../../pages/problem.ts';
import type { Access } from '../api/session.ts';
import { openPanelData, type PanelContext } from '../core/panel-data.ts';
import { outcomeInWords, thresholdsIn } from './texts.ts';

/** How often, in ms, and how many times the page reads the list after it has sent a webhook. */
const READ_INTERVAL = 1500;
const MAX_READS = 20;

type NoticesContext = PanelContext & {
  access: ReadonlySignal<Access>;
  /** Whether the service sends email. Otherwise, it sends no notices. */
  sendsMail: boolean;
};

/** The settings of the notices, and the deliveries of webhooks. All reads are free. */
export function createNoticesStore({ access, sendsMail, ...context }: NoticesContext) {
  const { session } = context;
  const states = ['mail_not_configured'] as const;
  const settings = openPanelData(context, (client) => client.notices(), { states });
  const deliveries = openPanelData(context, (client) => client.webhookDeliveries(), { states });
  const saved = signal<{ secret: string | undefined } | undefined>(undefined);
  const sending = signal<{ text: string; error?: QuotientError; isBusy?: boolean }>({ text: '' });
  let timer: ReturnType<typeof setTimeout> | undefined;

  const loadDeliveries = () => deliveries.load(undefined);

  async function load(): Promise<void> {
    if (access.value !== 'owner' || !sendsMail) return;
    await Promise.all([settings.value.value === undefined && settings.load(undefined), loadDeliveries()]);
  }

  /** Reads the list until a delivery has an outcome. */
  function follow(id: string, reads = MAX_READS): void {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await loadDeliveries();
      const delivery = deliveries.value.value?.find((one) => one.id === id);
      if (delivery && delivery.status !== 'pending') sending.value = { text: outcomeInWords(delivery, serviceNow()) };
      else if (reads > 1) follow(id, reads - 1);
    }, READ_INTERVAL);
  }

  async function send(act: () => Promise<WebhookDelivery>): Promise<void> {
    if (sending.value.isBusy) return;
    sending.value = { text: '', isBusy: true };
    try {
      const { id } = await act();
      sending.value = { text: 'Sending…' };
      follow(id);
      await loadDeliveries();
    } catch (thrown) {
      sending.value = { text: '', error: toError(thrown) };
    }
  }

  return {
    session,
    access,
    isOff: computed(() => !sendsMail || settings.error.value?.code === 'mail_not_configured'),
    settings,
    deliveries,
    /** Set after the settings have been saved, with the secret of a new webhook URL, which is shown only once. */
    saved,
    sending,
    hasUrl: computed(() => typeof settings.value.value?.webhookUrl === 'string'),
    loadDeliveries,
    sendTest: () => send(() => session.client.sendTestWebhook()),
    resend: (id: string) => send(() => session.client.resendWebhook(id)),

    async save(fields: Fields): Promise<void> {
      saved.value = undefined;
      const { webhookSecret: secret, ...next } = await session.client.setNotices({
        email: fields('email') !== '',
        webhookUrl: fields('webhookUrl') || null,
        thresholds: thresholdsIn(fields('thresholds')),
      });
      settings.set(next);
      saved.value = { secret };
    },

    /** Reads the data when the page Notices opens. Returns the function that closes the page. */
    open(): () => void {
      const stop = access.subscribe(() => void load());
      return () => {
        stop();
        clearTimeout(timer);
        saved.value = undefined;
        sending.value = { text: '' };
      };
    },
  };
}

export type NoticesStore = ReturnType<typeof createNoticesStore>;
