import { MINUTE } from '#core/clock';
import { servedCurrencies } from '#prices/model/currency';
import { openEcb } from '#prices/sources/ecb';
import type { CapabilityDeps } from '#server/capability';
import { openBudgeted } from '#upstream/budgeted-upstream';
import { createRateStore } from './rate-store.ts';
import { createRateCache, createRates, NO_RATES } from './rates.ts';

/** The ECB documents no limits. A normal day takes two calls, and a holiday takes six. */
const BUDGET = { perMinute: 10, perMonth: 2000 };

/** Reads no rates before the first request for a currency other than the dollar. */
export async function openCurrencies(deps: CapabilityDeps<{ exchangeRatesUrl: string | undefined }>) {
  const { settings, database, deadline, versions, clock } = deps;
  const { exchangeRatesUrl: url } = settings;
  const currencies = servedCurrencies(url !== undefined);
  if (url === undefined)
    return { currencies, rates: NO_RATES, readings: () => [], close: async (): Promise<void> => undefined };

  const { options, dropped, reading } = await openBudgeted(deps, 'ecb', BUDGET);
  const source = openEcb({ ...options, url, dropped, callSpacing: () => MINUTE });
  const store = deadline.over(createRateStore(database.prisma));
  const cache = createRateCache({ store, versions, clock });
  const singleFlight = deps.openSingleFlight(cache);

  return {
    currencies,
    rates: createRates({ source, store, cache, singleFlight, clock }),
    readings: () => [reading()],
    close: source.close,
  };
}

export type Currencies = Awaited<ReturnType<typeof openCurrencies>>;
