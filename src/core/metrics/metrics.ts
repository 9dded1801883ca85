import type { LeasesReading } from '#accounts/ledger/leases';
import { BUILT_IN_NAMES, type TokenName } from '#catalogue/token';
import { SECOND } from '#core/clock';
import { BOUNDS, countsOf, type Histogram } from '#server/recording/request-histogram';
import type { CircuitState } from '#upstream/circuit-breaker';
import { FAILURE_CAUSES, type FailureCause } from '#upstream/failure';
import type { Staleness } from '#upstream/freshness';
import { createRegistry } from './registry.ts';

/** The outcomes of a call that was made; the other causes are why none was made. */
const OUTCOMES = [
  'ok',
  ...FAILURE_CAUSES.filter((cause) => cause !== 'resting' && cause !== 'over_budget'),
] as const;
/** In seconds. */
const WAIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BREAKER = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<CircuitState, number>;

/** `budget` is of the calendar month, in calls; left out where there is none. */
type UpstreamReading = {
  upstream: string;
  breaker: CircuitState;
  budget?: { spent: number; limit: number };
};

/** What a scrape reads; nothing of it is computed before. */
export type Readings = {
  requests: () => Iterable<Histogram>;
  upstreams: () => readonly UpstreamReading[];
  staleness: () => readonly Staleness[];
  /** What stored rows take of memory, and what they may, in bytes. */
  memory: () => { bytes: number; mostBytes: number };
  leases: () => LeasesReading;
  isDatabaseUp: () => Promise<boolean>;
};

const finite = (ms: number) => (Number.isFinite(ms) ? ms / SECOND : undefined);

/** The metrics for Prometheus. Names and labels are fixed lists: none holds anything that a caller sent. */
export function createMetrics() {
  const registry = createRegistry();
  const { counters, gauges } = registry;
  const upstreamCall = registry.counter(
    'quotient_upstream_calls_total',
    'Calls to an upstream, by how they ended: ok, or failed with the cause',
    ['upstream', 'outcome', 'cause'],
  );
  const droppedSamples = registry.counter(
    'quotient_dropped_samples_total',
    'Samples of an upstream that were left out, since they cannot be true',
    ['upstream'],
  );
  const priceDifference = registry.counter(
    'quotient_price_differences_total',
    'Tokens whose price differed by more than a fifth when another source took over',
    ['token'],
  );
  const ledgerStatement = registry.counter(
    'quotient_ledger_statements_total',
    'Statements that settle, extend and grant leases',
  );
  const ledgerWait = registry.histogram(
    'quotient_ledger_wait_seconds',
    'How long calls waited for the ledger, of those that had to',
    WAIT_BOUNDS,
  );

  function addRequests(read: Readings['requests']): void {
    const rows = () =>
      Array.from(read(), (histogram) => {
        const { route, method, status } = histogram;
        const counts = countsOf(histogram);
        const value = counts.reduce((sum, count) => sum + count, 0);
        return {
          labels: { route, method, status: String(status) },
          counts,
          value,
          sum: histogram.figures[0] ?? 0,
        };
      });
    const requests = 'Requests that were answered, by the pattern of their route';
    counters('quotient_http_requests_total', requests, ['route', 'method', 'status'], rows);
    const durations = 'From a request to the end of its answer';
    registry.histograms('quotient_http_request_duration_seconds', durations, BOUNDS, rows);
  }

  function addUpstreams(read: Readings['upstreams']): void {
    gauges(['upstream'], read, ({ upstream }) => ({ upstream }), [
      ['quotient_upstream_breaker_state', '0 closed, 1 half open, 2 open', (row) => BREAKER[row.breaker]],
      [
        'quotient_upstream_budget_spent_calls',
        'Calls to an upstream in the running calendar month (UTC), by all processes',
        ({ budget }) => budget?.spent,
      ],
      [
        'quotient_upstream_budget_limit_calls',
        'Calls to an upstream that a calendar month allows',
        ({ budget }) => budget?.limit,
      ],
    ]);
  }

  function addStaleness(read: Readings['staleness']): void {
    gauges(['token', 'grain'], read, ({ token, kind }) => ({ token, grain: kind }), [
      [
        'quotient_data_age_seconds',
        'Since it was fetched; of minutes, hours and days since the time of the newest sample',
        ({ age }) => finite(age),
      ],
      [
        'quotient_data_interval_seconds',
        'How far apart it should arrive while somebody asks for it; +Inf when the budget is spent',
        ({ every }) => every / SECOND,
      ],
      [
        'quotient_data_idle_seconds',
        'Since this process was last asked for the newest of it',
        ({ idle }) => finite(idle),
      ],
    ]);
  }

  function addMemory(read: Readings['memory']): void {
    const rows = () => [read()];
    gauges([], rows, () => ({}), [
      ['quotient_archive_memory_bytes', 'What the series and candles in memory take', ({ bytes }) => bytes],
      [
        'quotient_archive_memory_limit_bytes',
        'Beyond this, those go that nobody has used for longest',
        ({ mostBytes }) => mostBytes,
      ],
    ]);
  }

  function addLeases(read: Readings['leases']): void {
    const rows = () => [read()];
    gauges([], rows, () => ({}), [
      ['quotient_leases_open', 'Leases that this process holds', ({ leases }) => leases],
      ['quotient_leases_granted_calls', 'Calls granted to the open leases', ({ granted }) => granted],
      ['quotient_leases_unspent_calls', 'Calls of the open leases not spent yet', ({ unspent }) => unspent],
      [
        'quotient_leases_unsettled_calls',
        'Calls spent and not known to be in the ledger',
        (row) => row.unsettled,
      ],
      ['quotient_ledger_tick_seconds', 'How far apart all is settled', ({ tick }) => tick / SECOND],
    ]);
    const settled = 'Calls that the ledger has; one that is given back later is not taken off';
    const refunded = 'Calls given back, since their answer was not a 2xx';
    const one = (value: number) => [{ labels: {}, value }];
    counters('quotient_calls_settled_total', settled, [], () => one(read().settled));
    counters('quotient_calls_refunded_total', refunded, [], () => one(read().refunded));
  }

  return {
    /** Counts how calls to an upstream end. Its series exist from the start, so that `rate` sees the first failure. */
    upstream(upstream: string): (outcome: FailureCause | 'ok') => void {
      const record = (outcome: FailureCause | 'ok', by: number) => {
        const isOk = outcome === 'ok';
        upstreamCall({ upstream, outcome: isOk ? 'ok' : 'failed', cause: isOk ? '' : outcome }, by);
      };
      for (const outcome of OUTCOMES) record(outcome, 0);
      return (outcome) => record(outcome, 1);
    },

    /** Counts samples that were dropped as implausible. The series exists from the start. */
    droppedSamples(upstream: string): (count: number) => void {
      droppedSamples({ upstream }, 0);
      return (count) => droppedSamples({ upstream }, count);
    },

    /** Counts tokens whose prices differed much when another source took over. Those of the built-in ones exist from the start. */
    priceDifferences(): (token: TokenName) => void {
      for (const token of BUILT_IN_NAMES) priceDifference({ token }, 0);
      return (token) => priceDifference({ token });
    },

    ledgerStatement: () => ledgerStatement(),

    /** Records how long a call waited for the ledger, in ms. */
    ledgerWait: (ms: number): void => ledgerWait(ms / SECOND),

    /** Adds the process's own metrics, and those that a scrape reads. */
    read({ requests, upstreams, staleness, memory, leases, isDatabaseUp }: Readings): void {
      registry.addProcess();
      addRequests(requests);
      addUpstreams(upstreams);
      addStaleness(staleness);
      addMemory(memory);
      addLeases(leases);
      registry.gauge('quotient_database_up', 'Whether the database answers: 1, or 0', async () =>
        (await isDatabaseUp()) ? 1 : 0,
      );
    },

    contentType: registry.contentType,
    text: registry.text,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
