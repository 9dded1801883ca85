import type { BreakerState } from './domain/breaker.ts';
import { SECOND } from './domain/clock.ts';
import { FAILURE_CAUSES, type FailureCause } from './domain/upstream-failure.ts';
import { createExposition } from './exposition.ts';
import { BOUNDS, countsOf, type Tally } from './http/request-tally.ts';
import type { Freshness } from './services/demand.ts';
import type { LeasesReading } from './services/leases.ts';

/** How a call can end that was made: the other causes are why none was. */
const ENDS = [
  'ok',
  ...FAILURE_CAUSES.filter((cause) => cause !== 'resting' && cause !== 'over_budget'),
] as const;
const BREAKER = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<BreakerState, number>;

/** `budget` is of the calendar month, in calls; left out where there is none. */
export type UpstreamReading = {
  upstream: string;
  breaker: BreakerState;
  budget?: { spent: number; limit: number };
};

/** What is read of the service when somebody asks for the metrics, and never before. */
export type Readings = {
  requests: () => Iterable<Tally>;
  upstreams: () => readonly UpstreamReading[];
  ages: () => readonly Freshness[];
  leases: () => LeasesReading;
  isDatabaseUp: () => Promise<boolean>;
};

const finite = (ms: number) => (Number.isFinite(ms) ? ms / SECOND : undefined);

/** What is told to Prometheus. Names and labels are fixed lists: none holds anything that a caller sent. */
export function createMetrics() {
  const exposition = createExposition();
  const { counters, gauges } = exposition;
  const upstreamCall = exposition.counter(
    'quotient_upstream_calls_total',
    'Calls to an upstream, by how they ended: ok, or failed with the cause',
    ['upstream', 'outcome', 'cause'],
  );
  const ledgerStatement = exposition.counter(
    'quotient_ledger_statements_total',
    'Statements that settle, extend and grant leases',
  );

  function tellOfRequests(read: Readings['requests']): void {
    const rows = () =>
      Array.from(read(), (tally) => {
        const { route, method, status } = tally;
        const counts = countsOf(tally);
        const value = counts.reduce((sum, count) => sum + count, 0);
        return {
          labels: { route, method, status: String(status) },
          counts,
          value,
          sum: tally.figures[0] ?? 0,
        };
      });
    const requests = 'Requests that were answered, by the pattern of their route';
    counters('quotient_http_requests_total', requests, ['route', 'method', 'status'], rows);
    const durations = 'From a request to the end of its answer';
    exposition.histograms('quotient_http_request_duration_seconds', durations, BOUNDS, rows);
  }

  function tellOfUpstreams(read: Readings['upstreams']): void {
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

  function tellOfAges(read: Readings['ages']): void {
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

  function tellOfLeases(read: Readings['leases']): void {
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
    ]);
    const settled = 'Calls that the ledger has; one that is given back later is not taken off';
    const refunded = 'Calls given back, since their answer was not a 2xx';
    const one = (value: number) => [{ labels: {}, value }];
    counters('quotient_calls_settled_total', settled, [], () => one(read().settled));
    counters('quotient_calls_refunded_total', refunded, [], () => one(read().refunded));
  }

  return {
    /** Tells how a call to an upstream ended. Its series are there from the start, so that the first failure is seen. */
    upstream(upstream: string): (outcome: FailureCause | 'ok') => void {
      const tell = (outcome: FailureCause | 'ok', by: number) => {
        const isOk = outcome === 'ok';
        upstreamCall({ upstream, outcome: isOk ? 'ok' : 'failed', cause: isOk ? '' : outcome }, by);
      };
      for (const outcome of ENDS) tell(outcome, 0);
      return (outcome) => tell(outcome, 1);
    },

    ledgerStatement: () => ledgerStatement(),

    /** From now on tells of the process, and of what is read. */
    read({ requests, upstreams, ages, leases, isDatabaseUp }: Readings): void {
      exposition.tellOfProcess();
      tellOfRequests(requests);
      tellOfUpstreams(upstreams);
      tellOfAges(ages);
      tellOfLeases(leases);
      exposition.gauge('quotient_database_up', 'Whether the database answers: 1, or 0', async () =>
        (await isDatabaseUp()) ? 1 : 0,
      );
    },

    contentType: exposition.contentType,
    text: exposition.text,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
