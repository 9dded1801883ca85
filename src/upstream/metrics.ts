import { SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import type { Staleness } from '#upstream/freshness';
import type { CircuitState } from './circuit-breaker.ts';
import { FAILURE_CAUSES, type FailureCause } from './failure.ts';
import type { FailureLog } from './failure-log.ts';

/** The outcomes of calls that were made; the other causes prevent the call. */
const OUTCOMES = ['ok', ...FAILURE_CAUSES.filter((cause) => cause !== 'resting' && cause !== 'over_budget')] as const;
const BREAKER = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<CircuitState, number>;
/** `budget` counts calls of the calendar month. */
export type UpstreamReading = { upstream: string; breaker: CircuitState; budget?: { spent: number; limit: number } };
/** In ms. */

export function createUpstreamRecording(registry: MetricsRegistry, failures: Pick<FailureLog, 'observe' | 'worked'>) {
  const calls = registry.counter(
    'quotient_upstream_calls_total',
    'Calls to an upstream, by how they ended: ok, or failed with the cause',
    ['upstream', 'outcome', 'cause'],
  );
  const droppedSamples = registry.counter(
    'quotient_dropped_samples_total',
    'Samples of an upstream that were left out, since they cannot be true',
    ['upstream'],
  );

  return {
    /** All series exist from the start, so that `rate` sees the first failure. */
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

const finite = (ms: number) => (Number.isFinite(ms) ? ms / SECOND : undefined);

export function addStalenessReadings(registry: MetricsRegistry, read: () => readonly Staleness[]): void {
  registry.gauges(['token', 'grain'], read, ({ token, kind }) => ({ token, grain: kind }), [
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
