import type { Clock } from '#core/clock';
import { memo } from '#core/memo';
import { type Currency, DOLLAR, EURO } from '#prices/model/currency';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { KnownRates } from './rate-schedule.ts';
import type { RateStore } from './rate-store.ts';
import { createRateSeries, type RateSeries } from './rate-validity.ts';

export const RATES = 'rates';
export type RateFetch = typeof RATES;

/** The rates per euro. `units` is undefined for the euro itself. */
export type RatePair = { dollars: RateSeries; units: RateSeries | undefined };
type Dependencies = { store: RateStore; versions: Pick<VersionWatcher, 'watch'>; clock: Clock };

/** Holds the stored rates of requested currencies in memory. Every process stores rates first and then reads them. */
export function createRateCache({ store, versions, clock }: Dependencies) {
  const nothing = createRateSeries([], Number.NEGATIVE_INFINITY);
  let dollars = nothing;
  const others = new Map<Currency, (generation: number) => Promise<RateSeries>>();
  let from: number | undefined;
  let newest: number | undefined;
  let generation = 0;

  const { sync, version, fetchedAt } = versions.watch<RateFetch>({
    names: () => [RATES],
    async reload(changed) {
      if (changed.length === 0) return;
      const first = await store.from();
      const rows = await store.rates(DOLLAR, clock.now());
      from = first;
      newest = rows.at(-1)?.[0];
      dollars = newest === undefined ? nothing : createRateSeries(rows, newest);
      generation += 1;
    },
  });

  async function readUnits(currency: Currency): Promise<RateSeries> {
    const end = newest ?? Number.NEGATIVE_INFINITY;
    return createRateSeries(await store.rates(currency, clock.now()), end);
  }

  function unitsOf(currency: Currency): Promise<RateSeries> {
    const read = others.get(currency) ?? memo(() => readUnits(currency), { ttl: Number.POSITIVE_INFINITY, clock });
    others.set(currency, read);
    return read(generation);
  }

  return {
    sync,
    version,
    stored: (): KnownRates => ({ from, newest, fetchedAt: fetchedAt(RATES) }),
    generation: () => generation,

    async pair(currency: Currency): Promise<RatePair> {
      const current = dollars;
      return { dollars: current, units: currency === EURO ? undefined : await unitsOf(currency) };
    },
  };
}

export type RateCache = ReturnType<typeof createRateCache>;
