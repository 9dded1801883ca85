import type { Clock } from '#core/clock';
import { type Currency, DOLLAR, EURO } from '#prices/model/currency';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { KnownRates } from './publication.ts';
import { createRateSeries, type RateSeries } from './rate-series.ts';
import type { RateStore } from './rate-store.ts';

/** The name of the one fetch, here and in the store. */
export const RATES = 'rates';
export type RateFetch = typeof RATES;

/** The rates of the dollar and of another currency for one euro each; undefined for the euro itself. */
type RatePair = { dollars: RateSeries; units: RateSeries | undefined };

type Dependencies = { store: RateStore; versions: Pick<VersionWatcher, 'watch'>; clock: Clock };

/**
 * The stored rates in memory: those of the dollar, and of each currency that somebody asks for, from then on. What is
 * fetched is stored first and then read, in this process as in every other.
 */
export function createRateCache({ store, versions, clock }: Dependencies) {
  const nothing = createRateSeries([], Number.NEGATIVE_INFINITY);
  let dollars = nothing;
  let others = new Map<Currency, Promise<RateSeries>>();
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
      others = new Map();
      generation += 1;
    },
  });

  /** The rates of a currency: read when they are first asked for. */
  function unitsOf(currency: Currency): Promise<RateSeries> {
    const mine = others;
    const end = newest ?? Number.NEGATIVE_INFINITY;
    const known =
      mine.get(currency) ?? store.rates(currency, clock.now()).then((rows) => createRateSeries(rows, end));
    mine.set(currency, known);
    known.catch(() => mine.delete(currency));
    return known;
  }

  return {
    sync,
    version,

    known: (): KnownRates => ({ from, newest, fetchedAt: fetchedAt(RATES) }),

    /** Rises with each reload. */
    generation: () => generation,

    async pair(currency: Currency): Promise<RatePair> {
      const mine = dollars;
      return { dollars: mine, units: currency === EURO ? undefined : await unitsOf(currency) };
    },
  };
}

export type RateCache = ReturnType<typeof createRateCache>;
