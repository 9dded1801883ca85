import { MINUTE } from '#core/clock';
import { memo } from '#core/memo';
import { servedCurrencies } from '#prices/model/currency';
import type { PriceDeps } from '#prices/open-kraken';
import { createDropped } from '#prices/sources/dropped-samples';
import { openEcb } from '#prices/sources/ecb';
import { type Budget, openBudget, type UpstreamBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createSingleFlight } from '#upstream/fetch-runner';
import { createRateStore } from './rate-store.ts';
import { createRateCache, createRates, NO_RATES } from './rates.ts';

/** The ECB documents no limits. This budget is for malfunctions: a normal day takes two calls, a holiday six. */
const BUDGET: Budget = { perMinute: 10, perMonth: 2000 };

/** Reads nothing before the first request for a currency other than the dollar. */
export function openCurrencies(deps: PriceDeps) {
  const { settings, database, deadline, refreshes, versions, observe, clock, failures } = deps;
  const { exchangeRatesUrl: url, upstreamTimeoutMs: timeoutMs } = settings;
  const currencies = servedCurrencies(url !== undefined);
  if (url === undefined)
    return { currencies, rates: NO_RATES, readings: () => [], close: async (): Promise<void> => undefined };

  const upstream = 'ecb';
  const breaker = createBreaker();
  const openedBudget = memo(() => openBudget({ store: refreshes, upstream, budget: BUDGET, clock }), {
    ttl: Number.POSITIVE_INFINITY,
    clock,
  });
  let budget: UpstreamBudget | undefined;
  async function reserve(): Promise<boolean> {
    budget = await openedBudget();
    return budget.reserve();
  }
  const source = openEcb({
    url,
    timeoutMs,
    clock,
    reserve,
    breaker,
    callSpacing: () => MINUTE,
    observe: observe(upstream),
    dropped: createDropped(deps, upstream),
  });
  const store = deadline.over(createRateStore(database.prisma));
  const cache = createRateCache({ store, versions, clock });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });

  return {
    currencies,
    rates: createRates({ source, store, cache, singleFlight, clock }),
    readings: () => [
      {
        upstream,
        breaker: breaker.state(clock.elapsed()),
        budget: budget?.reading() ?? { spent: 0, limit: BUDGET.perMonth, rate: 0 },
      },
    ],
    close: source.close,
  };
}

export type Currencies = ReturnType<typeof openCurrencies>;
