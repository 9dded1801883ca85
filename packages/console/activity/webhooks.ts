import type { WebhookDelivery } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId, make, makeButton, softText } from '../../pages/dom.ts';
import { count, fromNow, onDateAt } from '../../pages/format.ts';
import { type OnError, runOnce, toError } from '../../pages/problem.ts';
import type { Session } from '../api/session.ts';

/** How often, in ms, and how many times the page reads the list after it has sent a webhook. */
const READ_INTERVAL = 1500;
const MAX_READS = 20;

const NO_URL = 'No webhook URL is set. Set one under Notices.';
const EMPTY = 'No deliveries in the last 30 days.';

/** Shows the latest deliveries of webhooks, and sends webhooks. */
export function openWebhooks(session: Session, onError: OnError) {
  const panel = byId('webhooks');
  const list = byId('webhook-list');
  const note = byId('webhooks-note');
  const problem = byId('webhooks-problem');
  const sent = byId('webhook-sent');
  const test = byId('webhook-test');
  const refresh = byId('webhooks-refresh');
  let hasUrl = false;
  let shown: readonly WebhookDelivery[] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The deliveries whose payload the user has opened. */
  const open = new Set<string>();

  function itemOf(delivery: WebhookDelivery, now: number): HTMLElement {
    const { id, status, createdAt, resendOf, payload } = delivery;
    const title = payload.type;
    const resend = makeButton('Resend', () => void send(resend, () => session.client.resendWebhook(id)), 'small');
    resend.setAttribute('aria-label', `Resend ${title} of ${onDateAt(createdAt)}`);
    resend.dataset.control = `resend ${id}`;
    const summary = make('summary', { 'data-control': `payload ${id}` }, 'Payload');
    const details = make(
      'details',
      open.has(id) ? { open: '' } : {},
      summary,
      make('pre', { class: 'code', tabindex: '0' }, make('code', {}, JSON.stringify(payload, null, 2))),
    );
    details.addEventListener('toggle', () => {
      if (details.open) open.add(id);
      else open.delete(id);
    });
    const created = `${resendOf === null ? 'Created' : 'Resent'} on ${onDateAt(createdAt)}.`;
    return make(
      'li',
      { class: 'key-item', 'data-status': status },
      make('p', { class: 'key-name' }, make('strong', {}, title), make('span', { class: 'tag' }, status)),
      softText(`${created} ${outcomeInWords(delivery, now)}`),
      ...(hasUrl ? [make('div', { class: 'key-actions' }, resend)] : []),
      details,
    );
  }

  function show(): void {
    const now = serviceNow();
    test.hidden = !hasUrl;
    const isEmpty = shown?.length === 0;
    note.textContent = [...(hasUrl ? [] : [NO_URL]), ...(isEmpty ? [EMPTY] : [])].join(' ');
    const { activeElement } = document;
    const control = list.contains(activeElement) ? activeElement?.getAttribute('data-control') : undefined;
    list.replaceChildren(...(shown ?? []).map((delivery) => itemOf(delivery, now)));
    // The new item of the delivery takes over the focus.
    if (control) list.querySelector<HTMLElement>(`[data-control="${control}"]`)?.focus();
  }

  async function load(): Promise<void> {
    const { client } = session;
    try {
      const deliveries = await client.webhookDeliveries();
      if (client !== session.client) return;
      problem.replaceChildren();
      shown = deliveries;
      show();
    } catch (thrown) {
      const error = toError(thrown);
      if (client !== session.client || error.code === 'mail_not_configured' || error.status === 401) return;
      onError(error, problem, load, shown !== undefined);
    }
  }

  /** Reads the list until a delivery has an outcome. */
  function follow(id: string, reads = MAX_READS): void {
    clearTimeout(timer);
    const { client } = session;
    timer = setTimeout(async () => {
      if (client !== session.client) return;
      await load();
      const delivery = shown?.find((one) => one.id === id);
      if (delivery && delivery.status !== 'pending') sent.textContent = outcomeInWords(delivery, serviceNow());
      else if (reads > 1) follow(id, reads - 1);
    }, READ_INTERVAL);
  }

  async function send(button: Element, act: () => Promise<WebhookDelivery>): Promise<void> {
    sent.textContent = '';
    await runOnce(button, problem, async () => {
      const { id } = await act();
      sent.textContent = 'Sending…';
      follow(id);
      await load();
    });
  }
  test.addEventListener('click', () => void send(test, () => session.client.sendTestWebhook()));
  refresh.addEventListener('click', () => void load());

  return {
    /** Shows the panel, with the buttons only if a webhook URL is set. */
    async open(webhookUrl: string | null): Promise<void> {
      hasUrl = webhookUrl !== null;
      panel.hidden = false;
      show();
      await load();
    },
  };
}

const attemptsInWords = (attempts: number) => `${count(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`;

function reasonInWords({ reason, httpStatus }: WebhookDelivery): string {
  if (reason === 'http_status') return `the receiver responded with ${httpStatus ?? 'a status other than 2xx'}`;
  if (reason === 'no_response') return 'the receiver did not respond in time or could not be reached';
  return reason === 'webhook_off' ? 'webhooks were turned off' : 'no reason is known';
}

/** The outcome of the last attempt, and the time of the next. */
export function outcomeInWords(delivery: WebhookDelivery, now: number): string {
  const { status, attempts, httpStatus, deliveredAt, nextAttemptAt } = delivery;
  const tried = attemptsInWords(attempts);
  if (status === 'delivered') {
    const when = deliveredAt ? ` on ${onDateAt(deliveredAt)}` : '';
    return `Delivered${when} after ${tried}${httpStatus === null ? '' : `, status ${httpStatus}`}.`;
  }
  if (status === 'failed') return `Not delivered after ${tried}: ${reasonInWords(delivery)}.`;
  if (status === 'pending') return 'The first attempt has not ended yet.';
  const next = nextAttemptAt ? ` Next attempt ${fromNow(nextAttemptAt, now)}, on ${onDateAt(nextAttemptAt)}.` : '';
  return `${tried}: ${reasonInWords(delivery)}.${next}`;
}
