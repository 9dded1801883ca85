import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { type Budget, openBudget } from './budget.ts';
import { createBreaker } from './circuit-breaker.ts';
import type { RefreshStore } from './claims-and-budgets-store.ts';
import { createDropReporter } from './items/items.ts';
import { breakerReading, type createUpstreamRecording } from './upstream-metrics.ts';

type Deps = ReturnType<typeof createUpstreamRecording> & {
  settings: { upstreamTimeoutMs: number };
  refreshes: RefreshStore;
  clock: Clock;
  log: Log;
};

/** Opens the budget, the circuit breaker, and the reports of calls and items of an upstream with a call budget. */
export async function openBudgeted(deps: Deps, upstream: string, limits: Budget) {
  const { settings, refreshes, observe, clock } = deps;
  const breaker = createBreaker();
  const budget = await openBudget({ store: refreshes, upstream, budget: limits, clock });
  return {
    budget,
    dropped: createDropReporter(deps, upstream),
    /** The options of `openUpstream` that are the same for all of these upstreams. */
    options: {
      timeoutMs: settings.upstreamTimeoutMs,
      clock,
      breaker,
      reserve: () => budget.reserve(),
      observe: observe(upstream),
    },
    reading: () => ({ upstream, ...breakerReading(breaker, clock.elapsed()), budget: budget.reading() }),
  };
}
