import { SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import type { Staleness } from '#upstream/freshness';
import type { BudgetReading } from './budget.ts';
import type { CircuitState } from './circuit-breaker.ts';
import { FAILURE_CAUSES, type FailureCause } from './failure.ts';
import type { FailureLog } from './failure-log.ts';

/** The outcomes of calls that were made. The remaining causes prevent a call. */
const OUTCOMES = ['ok', ...FAILURE_CAUSES.filter((cause) => cause !== 'resting' && cause !== 'over_budget')] as const;
const BREAKER = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<CircuitState, number>;
/** `budget` counts the calls in the calendar month. */
export type UpstreamReading = { upstream: string; breaker: CircuitState; budget?: BudgetReading };

export function createUpstreamRecording(registry: MetricsRegistry, failures: Pick<FailureLog, 'observe' | 'worked'>) {
  const calls = registry.counter(
    'quotient_upstream_calls_total',
    'Calls to an upstream by outcome: ok, or the cause of the failure',
    ['upstream', 'outcome', 'cause'],
  );
  const droppedSamples = registry.counter(
    'quotient_dropped_samples_total',
    'Samples of an upstream that were dropped as implausible',
    ['upstream'],
  );

  return {
    /** Counts calls. All series exist from the start, so that `rate` sees the first failure. */
    observe(upstream: string): (outcome: FailureCause | 'ok') => void {
      const count = (outcome: FailureCause | 'ok', by: number) => {
        const isOk = outcome === 'ok';
        calls({ upstream, outcome: isOk ? 'ok' : 'failed', cause: isOk ? '' : outcome }, by);
      };
      for (const outcome of OUTCOMES) count(outcome, 0);
      failures.observe(upstream);
      return (outcome) => {
        count(outcome, 1);
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

export function addUpstreamReadings(registry: MetricsRegistry, read: () => readonly UpstreamReading[]): void {
  registry.gauges(['upstream'], read, ({ upstream }) => ({ upstream }), [
    ['quotient_upstream_breaker_state', '0 closed, 1 half open, 2 open', (row) => BREAKER[row.breaker]],
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
      "Days until the budget is spent at this month's mean rate",
      ({ budget }) => budget?.daysLeft,
    ],
  ]);
}

/** Tokens with series of their own: with five kinds of data and three metrics each, at most 600 series. */
const MOST_TOKENS = 40;

/** The data of the tokens that were requested most recently. */
function mostRequested(all: readonly Staleness[]): readonly Staleness[] {
  const idleOf = new Map<string, number>();
  for (const { token, idle } of all) idleOf.set(token, Math.min(idle, idleOf.get(token) ?? Number.POSITIVE_INFINITY));
  if (idleOf.size <= MOST_TOKENS) return all;
  const tokens = [...idleOf].sort(([, a], [, b]) => (a === b ? 0 : a - b)).slice(0, MOST_TOKENS);
  const labelled = new Set(tokens.map(([token]) => token));
  return all.filter(({ token }) => labelled.has(token));
}

const finite = (ms: number) => (Number.isFinite(ms) ? ms / SECOND : undefined);

export function addStalenessReadings(registry: MetricsRegistry, read: () => readonly Staleness[]): void {
  registry.gauges(
    ['token', 'interval'],
    () => mostRequested(read()),
    ({ token, kind }) => ({ token, interval: kind }),
    [
      [
        'quotient_data_age_seconds',
        'Time since the fetch; for minutes, hours and days, the age of the newest sample',
        ({ age }) => finite(age),
      ],
      [
        'quotient_data_interval_seconds',
        'Interval at which data should arrive while it is requested; +Inf when the budget is spent',
        ({ every }) => every / SECOND,
      ],
      [
        'quotient_data_idle_seconds',
        'Time since this process last received a request for the newest data',
        ({ idle }) => finite(idle),
      ],
    ],
  );
}
