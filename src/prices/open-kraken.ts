import type { Catalogue } from '#catalogue/catalogue';
import { SECOND } from '#core/clock';
import { createDropped } from '#prices/sources/dropped-samples';
import { openKrakenSource } from '#prices/sources/kraken';
import type { CapabilityDeps } from '#server/capability';
import { type Budget, openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import type { PriceSettings } from './settings.ts';

/** The interval between calls, in ms. It keeps them below the only rate limit in Kraken's documentation. */
const SPACING = SECOND;
const BUDGET: Budget = { perMinute: 60, perMonth: Number.POSITIVE_INFINITY };
export type PriceDeps = CapabilityDeps<PriceSettings> & { catalogue: Catalogue };

/** Opens Kraken, the source of candles and of fallback prices, with its circuit breaker and budget. */
export async function openKraken(
  deps: Pick<PriceDeps, 'settings' | 'refreshes' | 'catalogue' | 'observe' | 'dropped' | 'clock' | 'log'>,
) {
  const { settings, refreshes, catalogue, observe, clock, log } = deps;
  const upstream = 'kraken';
  const breaker = createBreaker();
  const budget = await openBudget({ store: refreshes, upstream, budget: BUDGET, clock });
  const source = openKrakenSource({
    ...settings.kraken,
    timeoutMs: settings.upstreamTimeoutMs,
    catalogue,
    clock,
    reserve: budget.reserve,
    callSpacing: () => SPACING,
    observe: observe(upstream),
    dropped: createDropped(deps, upstream),
    untraded: (pair) => log.warn({ upstream, ...pair }, 'untraded pair excluded'),
    breaker,
  });

  return {
    source,
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],
    sync: budget.sync,
    close: source.close,
  };
}

export type OpenKraken = Awaited<ReturnType<typeof openKraken>>;
