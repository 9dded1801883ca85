import type { WebhookDelivery } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { type Figure, Figures, Panel, Tag, Time } from '../../pages/components/figures.tsx';
import { Loading, Problem } from '../../pages/components/states.tsx';
import { type Column, Table } from '../../pages/components/table.tsx';
import { count, onDateAtSecond } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { timeOf } from '../usage/log.ts';
import type { NoticesStore } from './store.ts';
import { outcomeInWords } from './texts.ts';

type Props = { store: NoticesStore };

const LEVELS = { pending: 'neutral', retrying: 'warn', delivered: 'good', failed: 'bad' } as const;

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'Created (UTC)', cell: ({ createdAt }) => timeOf(createdAt, serviceNow()) },
  {
    title: 'Status',
    cell: ({ status, resendOf }) => (
      <>
        <Tag state={status} level={LEVELS[status]} /> {resendOf !== null && <Tag state="resend" />}
      </>
    ),
  },
  { title: 'Event', kind: 'name', cell: ({ payload }) => <code>{payload.type}</code> },
  // `attempts` includes a running attempt.
  {
    title: 'Attempts',
    kind: 'num',
    isExtra: true,
    cell: ({ status, attempts }) => count(status === 'pending' ? 0 : attempts),
  },
  { title: 'Outcome', kind: 'line', cell: (delivery) => outcomeInWords(delivery, serviceNow()) },
];

/** What the row of a delivery opens. */
function Details({ store: { hasUrl, resend }, delivery }: Props & { delivery: WebhookDelivery }) {
  const { id, messageId, resendOf, createdAt, lastAttemptAt, nextAttemptAt, httpStatus, payload } = delivery;
  const figures: readonly Figure[] = [
    ['Outcome', outcomeInWords(delivery, serviceNow())],
    [resendOf === null ? 'Created' : 'Resent', <Time key="created" at={createdAt} to="second" />],
    ['Last attempt', <Time key="last" at={lastAttemptAt} to="second" />],
    ['Next attempt', <Time key="next" at={nextAttemptAt} to="second" />],
    ['Response', httpStatus ?? '–'],
    ['Message ID', <code key="id">{messageId}</code>],
  ];
  return (
    <>
      <Figures class="log-details" of={figures} />
      <pre class="payload">
        <code>{JSON.stringify(payload, null, 2)}</code>
      </pre>
      {hasUrl.value && (
        <button
          type="button"
          class="small"
          aria-label={`Resend ${payload.type} of ${onDateAtSecond(createdAt)}`}
          onClick={() => void resend(id)}
        >
          Resend
        </button>
      )}
    </>
  );
}

/** The latest deliveries of webhooks. A row opens its details. */
export function Deliveries({ store }: Props) {
  const { deliveries, hasUrl, sending, settings, sendTest, loadDeliveries } = store;
  const { text, error, isBusy } = sending.value;
  const actions = (
    <>
      <Age of={deliveries.age.value} />
      {hasUrl.value && (
        <button type="button" class="small" aria-disabled={isBusy} onClick={() => void sendTest()}>
          Send test event
        </button>
      )}
      <button type="button" class="small" onClick={() => void loadDeliveries()}>
        Refresh
      </button>
    </>
  );
  return (
    <Panel title="Webhook deliveries" class="webhooks" actions={actions}>
      <p class="soft">
        The service keeps the last 50 deliveries for 30 days. A failed delivery is retried for 24 hours. A resent
        webhook has the same ID, so that the receiver can ignore duplicates.{' '}
        <a href="docs/webhooks#deliveries">About deliveries</a>
      </p>
      {settings.value.value && !hasUrl.value && (
        <p class="soft">No webhook URL is set. To receive webhooks, set a URL in the settings.</p>
      )}
      <p class="sent" role="status">
        {text}
      </p>
      <div role="alert">{error && <Problem error={error} />}</div>
      <PanelProblem of={deliveries.failure} />
      <div aria-busy={deliveries.isLoading.value}>
        {deliveries.value.value ? (
          <Table
            label="Latest deliveries"
            step={25}
            columns={COLUMNS}
            items={deliveries.value.value}
            keyOf={({ id }) => id}
            details={(delivery) => <Details {...{ store, delivery }} />}
            empty="No deliveries in the last 30 days."
          />
        ) : (
          !deliveries.error.value && <Loading />
        )}
      </div>
    </Panel>
  );
}
