import { type Clock, iso, isoOrNull } from '#core/clock';
import { type BudgetReading, monthOf } from '#upstream/budget';
import { hasFailed } from '#upstream/component';
import type { SourceOutcome } from '#upstream/source-outcomes-store';
import type { UpstreamReading } from '#upstream/upstream-metrics';
import type { SourceReport } from './operator-records.ts';

type Dependencies = {
  readings: () => readonly UpstreamReading[];
  outcomes: () => Promise<readonly SourceOutcome[]>;
  clock: Clock;
};

/** Extrapolates this month's average rate to the end of the month. `now` in Unix ms. */
export function budgetReport({ spent, limit, rate }: BudgetReading, now: number): SourceReport['budget'] {
  const { end } = monthOf(now);
  const remaining = Math.max(0, limit - spent);
  const exhaustedAt = rate === 0 ? Number.POSITIVE_INFINITY : now + remaining / rate;
  return {
    limit: Number.isFinite(limit) ? limit : null,
    used: spent,
    remaining: Number.isFinite(remaining) ? remaining : null,
    forecast: Math.round(spent + rate * (end - now)),
    exhaustedAt: isoOrNull(exhaustedAt < end ? Math.round(exhaustedAt) : null),
  };
}

function stateOf(
  { breaker, budget }: UpstreamReading,
  outcome: SourceOutcome | undefined,
  now: number,
): SourceReport['state'] {
  if (budget && budget.spent >= budget.limit) return 'exhausted';
  if (breaker !== 'closed') return 'paused';
  if (!outcome || (outcome.succeededAt === null && outcome.failure === null)) return 'unused';
  return hasFailed(outcome, now) ? 'failing' : 'working';
}

export async function sourceReports({ readings, outcomes, clock }: Dependencies): Promise<SourceReport[]> {
  const now = clock.now();
  const outcomeOf = new Map((await outcomes()).map((outcome) => [outcome.source, outcome]));
  return readings().map((reading): SourceReport => {
    const { upstream, budget, inactiveTokens = [] } = reading;
    const outcome = outcomeOf.get(upstream);
    const failure = outcome?.failure ?? null;
    return {
      name: upstream,
      state: stateOf(reading, outcome, now),
      lastSuccessAt: isoOrNull(outcome?.succeededAt ?? null),
      lastFailure: failure && { at: iso(failure.at), cause: failure.cause },
      budget: budget ? budgetReport(budget, now) : null,
      inactiveTokens: [...inactiveTokens],
    };
  });
}
