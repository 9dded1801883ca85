import { MINUTE } from '#domain/clock';
import { servedCurrencies } from '#domain/currency/currency';
import type { Budget } from '#domain/upstream/budget';
import { createBreaker } from '#domain/upstream/circuit-breaker';
import { createRateCache } from '#services/currency/rate-cache';
import { createRates, NO_RATES } from '#services/currency/rates';
import { openBudget, type UpstreamBudget } from '#services/upstream/budget';
import { createSingleFlight } from '#services/upstream/single-flight';
import { openEcb } from '#sources/currency/ecb';
import { createRateStore } from '#stores/currency/rates';
import type { Context } from './context.ts';
import { createDropped } from './dropped-samples.ts';

/** Nothing is written of limits: a bound on what could go wrong here. A day takes two calls, a holiday six. */
const BUDGET: Budget = { perMinute: 10, perMonth: 2000 };

/** Opens the rates of currencies; with nothing to read before somebody asks for another currency than the dollar. */
export function openCurrencies(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, clock, log } = context;
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
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, log });

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
