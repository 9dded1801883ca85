import { MINUTE } from '#core/clock';
import type { Context } from '#open-context';
import { servedCurrencies } from '#prices/model/currency';
import { createDropped } from '#prices/sources/dropped-samples';
import { openEcb } from '#prices/sources/ecb';
import { openBudget, type UpstreamBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import type { Budget } from '#upstream/monthly-budget';
import { createSingleFlight } from '#upstream/single-flight';
import { createRateCache } from './rate-cache.ts';
import { createRateStore } from './rate-store.ts';
import { createRates, NO_RATES } from './rates.ts';

/** Nothing is written of limits: a bound on what could go wrong here. A day takes two calls, a holiday six. */
const BUDGET: Budget = { perMinute: 10, perMonth: 2000 };

/** Opens the rates of currencies; with nothing to read before somebody asks for another currency than the dollar. */
export function openCurrencies(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, clock, failures } = context;
  const { exchangeRatesUrl: url, upstreamTimeoutMs: timeoutMs } = settings;
  const currencies = servedCurrencies(url !== undefined);
  if (url === undefined)
    return { currencies, rates: NO_RATES, readings: () => [], close: async (): Promise<void> => undefined };

  const upstream = 'ecb';
  const breaker = createBreaker();
  let budget: Promise<UpstreamBudget<undefined>> | undefined;
  let reading = { spent: 0, limit: BUDGET.perMonth };
  async function reserve(): Promise<boolean> {
    budget ??= openBudget({ store: refreshes, upstream, budget: BUDGET, throttle: () => undefined, clock });
    const opened = await budget.catch((error) => {
      budget = undefined;
      throw error;
    });
    const reserved = await opened.reserve();
    reading = opened.reading();
    return reserved;
  }
  const source = openEcb({
    ...{ url, timeoutMs, clock, reserve, breaker },
    callSpacing: () => MINUTE,
    observe: observe(upstream),
    dropped: createDropped(context, upstream),
  });
  const store = deadline.over(createRateStore(prisma));
  const cache = createRateCache({ store, refreshes, clock });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });

  return {
    /** What figures can be told in, the dollar first. */
    currencies,
    rates: createRates({ source, store, cache, singleFlight, clock }),

    /** The upstream's circuit and budget, for the metrics. */
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: reading }],

    close: source.close,
  };
}

export type Currencies = ReturnType<typeof openCurrencies>;
