import { DAY, MINUTE, SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import { mapNames } from '#core/names';
import type { Staleness } from '#upstream/freshness';
import type { BudgetReading } from './budget.ts';
import type { Breaker, CircuitState } from './circuit-breaker.ts';
import { FAILURE_CAUSES, type FailureCause } from './failures/failure.ts';
import type { FailureLog } from './failures/failure-log.ts';

/** The outcomes of calls that were made. The excluded causes prevent a call. */
const OUTCOMES = ['ok', ...FAILURE_CAUSES.filter((cause) => cause !== 'resting' && cause !== 'over_budget')] as const;
const BREAKER = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<CircuitState, number>;
/** `budget` counts the calls in the calendar month. */
export type UpstreamReading = {
  upstream: string;
  breaker: CircuitState;
  pausedPaths: number;
  budget?: BudgetReading;
  /** The tokens in memory for which the source has no current price. */
  inactiveTokens?: readonly string[];
};

export const breakerReading = (breaker: Breaker, now: number): Pick<UpstreamReading, 'breaker' | 'pausedPaths'> => ({
  breaker: breaker.state(now),
  pausedPaths: breaker.pausedPaths(now),
});

/** @param note called with the outcome of each call */
export function createUpstreamRecording(
  registry: MetricsRegistry,
  failures: Pick<FailureLog, 'observe' | 'worked'>,
  note: (upstream: string, outcome: FailureCause | 'ok') => void = () => undefined,
) {
  const callsByUpstream = new Map<string, Record<FailureCause | 'ok', number>>();
  registry.counters(
    'quotient_upstream_calls_total',
    'Calls to an upstream, by outcome: ok, or the cause of the failure',
    () =>
      callsByUpstream.entries().flatMap(([upstream, calls]) =>
        OUTCOMES.map((outcome) => {
          const labels = outcome === 'ok' ? { outcome, cause: '' } : { outcome: 'failed', cause: outcome };
          return { labels: { upstream, ...labels }, value: calls[outcome] };
        }),
      ),
  );
  const droppedSamples = registry.counter(
    'quotient_dropped_samples_total',
    'Faulty items of responses that the service dropped, by upstream',
    ['upstream'],
  );

  return {
    /** Counts calls. All series exist from the start, so that `rate` sees the first failure. */
    observe(upstream: string): (outcome: FailureCause | 'ok') => void {
      const calls = mapNames(['ok', ...FAILURE_CAUSES], () => 0);
      callsByUpstream.set(upstream, calls);
      failures.observe(upstream);
      return (outcome) => {
        calls[outcome] += 1;
        note(upstream, outcome);
        if (outcome === 'ok') failures.worked(upstream);
      };
    },

    /** Counts samples dropped as implausible. The series exists from the start. */
    dropped(upstream: string): (count: number) => void {
      droppedSamples({ upstream }, 0);
      return (count) => droppedSamples({ upstream }, count);
    },
  };
}

const daysLeft = ({ spent, limit, rate }: BudgetReading) =>
  rate === 0 ? Number.POSITIVE_INFINITY : (limit - spent) / rate / DAY;

export function addUpstreamReadings(registry: MetricsRegistry, read: () => readonly UpstreamReading[]): void {
  registry.gauges(read, ({ upstream }) => ({ upstream }), [
    [
      'quotient_upstream_breaker_state',
      'State of the circuit breaker of an upstream: 0 is closed, 1 is half open, 2 is open',
      (row) => BREAKER[row.breaker],
    ],
    [
      'quotient_upstream_paused_paths',
      'Paths of an upstream, such as the chart of one token, that are paused on their own',
      ({ pausedPaths }) => pausedPaths,
    ],
    [
      'quotient_upstream_budget_spent_calls',
      'Calls to an upstream by all processes in the current calendar month (UTC)',
      ({ budget }) => budget?.spent,
    ],
    ['quotient_upstream_budget_limit_calls', 'Monthly call budget of an upstream', ({ budget }) => budget?.limit],
    [
      'quotient_upstream_budget_left_calls',
      'Calls left in the monthly budget of an upstream',
      ({ budget }) => budget && budget.limit - budget.spent,
    ],
    [
      'quotient_upstream_budget_left_days',
      "Days until the monthly budget of an upstream is spent, at this month's average rate",
      ({ budget }) => budget && daysLeft(budget),
    ],
  ]);
}

/** The number of tokens with their own series. Each of these tokens has four kinds of data and three metrics. */
const MAX_TOKENS = 10;
const OTHER = 'other';
/** How long data counts as requested after a request, in ms. */
const REQUESTED = 10 * MINUTE;

/**
 * Bounds the number of series. The tokens that were loaded first keep their own series while they are loaded. For each
 * kind of data, one series shows the requested other token whose data is oldest in relation to its interval.
 */
function createTokenBound(): (all: readonly Staleness[]) => Staleness[] {
  const own = new Set<string>();
  const overdue = ({ age, every }: Staleness) => age / every;

  return (all) => {
    const loaded = new Set(all.map(({ token }) => token));
    for (const token of own) if (!loaded.has(token)) own.delete(token);
    for (const token of loaded) if (own.size < MAX_TOKENS) own.add(token);
    const worst = new Map<Staleness['kind'], Staleness>();
    for (const row of all) {
      if (own.has(row.token) || row.idle > REQUESTED || !Number.isFinite(row.age)) continue;
      const previous = worst.get(row.kind);
      if (!previous || overdue(row) > overdue(previous)) worst.set(row.kind, { ...row, token: OTHER });
    }
    return [...all.filter(({ token }) => own.has(token)), ...worst.values()];
  };
}

const finite = (ms: number) => (Number.isFinite(ms) ? ms / SECOND : undefined);

export function addStalenessReadings(registry: MetricsRegistry, read: () => readonly Staleness[]): void {
  const bound = createTokenBound();
  registry.gauges(
    () => bound(read()),
    ({ token, kind }) => ({ token, interval: kind }),
    [
      [
        'quotient_data_age_seconds',
        'Age of the data: the time since the fetch or, for minutes, hours and days, since the newest sample',
        ({ age }) => finite(age),
      ],
      [
        'quotient_data_interval_seconds',
        'Refresh interval of the data while clients request it; +Inf if the budget is spent',
        ({ every }) => every / SECOND,
      ],
      [
        'quotient_data_idle_seconds',
        'Time since the last request to this process for the newest data',
        ({ idle }) => finite(idle),
      ],
    ],
  );
}
