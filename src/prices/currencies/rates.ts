import { type Clock, DAY, HOUR, type Span, subtractSpans, union } from '#core/clock';
import { memo } from '#core/memo';
import { traced } from '#core/tracing';
import { type Currency, DOLLAR, EURO, hasEnded } from '#prices/model/currency';
import type { Ecb } from '#prices/sources/ecb';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { createFetchRunner, type FetchOutcome } from '#upstream/fetch-runner';
import { ageAt, type Warning } from '#upstream/freshness';
import type { SingleFlight } from '#upstream/single-flight';
import type { VersionWatcher } from '#upstream/version-watcher';
import { datedRates } from './conversion.ts';
import type { RateStore } from './rate-store.ts';
import { createRateSeries, type KnownRates, planRates, type RateSeries } from './rate-validity.ts';
import type { Valuation } from './valuation.ts';

const RATES = 'rates';
type RateFetch = typeof RATES;

/** The rates per euro. `units` is undefined for the euro itself. */
type RatePair = { dollars: RateSeries; units: RateSeries | undefined };
type CacheDependencies = { store: RateStore; versions: Pick<VersionWatcher, 'watch'>; clock: Clock };

/** Holds the stored rates of requested currencies in memory. Every process stores rates first and then reads them. */
export function createRateCache({ store, versions, clock }: CacheDependencies) {
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

type RateCache = ReturnType<typeof createRateCache>;

type Dependencies = {
  source: Pick<Ecb, 'rates'>;
  store: RateStore;
  cache: RateCache;
  singleFlight: SingleFlight<RateFetch>;
  clock: Clock;
};

/** The longest time in ms from a date with rates to the next publication: from Thursday to Tuesday at Easter. */
const LONGEST_PAUSE = 6 * DAY;
/** Failures that suggest that too many rates were requested. */
const TOO_MUCH: ReadonlySet<FailureCause> = new Set(['timeout', 'too_large']);

/** Exchange rates. Fetched on request if they are missing or due, and stored forever. */
export function createRates({ source, store, cache, singleFlight, clock }: Dependencies) {
  /** Runs at the first request for a currency other than the dollar, and reads the stored rates. */
  const open = memo(cache.sync, { ttl: Number.POSITIVE_INFINITY, clock });

  async function fetch(from: number): Promise<void> {
    const rates = await source.rates(from);
    await traced('store', {}, () => store.record(RATES, rates, from, clock.now()));
    await cache.sync();
  }

  async function refresh(since: number): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const now = clock.now();
    const plan = planRates(since, cache.stored(), now);
    if (!plan) return runner.outcome;
    const isMade = await runner.run(RATES, plan.wait, () => fetch(plan.from));
    const recent = planRates(now, cache.stored(), now);
    const { failure } = runner.outcome;
    const isTooMuch = failure instanceof UpstreamFailure && TOO_MUCH.has(failure.reason);
    if (!isMade || !isTooMuch || !recent || recent.from <= plan.from || cache.stored().from !== undefined)
      return runner.outcome;
    // Nothing is stored, and a request for many years failed. A request for a single year may succeed.
    singleFlight.forget(RATES);
    return refresh(now);
  }

  const isAwaited = (currency: Currency, { dollars, units }: RatePair): boolean =>
    !hasEnded(currency) && (units ?? dollars).spans.length === 0;

  /** Fetches all rates again if a response lacked a current currency, because later responses may contain it. */
  async function refetch(): Promise<FetchOutcome | undefined> {
    const { from, fetchedAt } = cache.stored();
    if (from === undefined || ageAt(fetchedAt, clock.now()) < HOUR) return undefined;
    const runner = createFetchRunner({ singleFlight, clock });
    await runner.run(RATES, 'end', () => fetch(from));
    return runner.outcome;
  }

  return {
    async valuation(currency: Currency, since: number): Promise<Valuation> {
      await open();
      const refreshed = await refresh(since);
      const isMissing = isAwaited(currency, await cache.pair(currency));
      const outcome = (isMissing && (await refetch())) || refreshed;
      const version = `${currency}:${cache.generation()}`;
      const pair = await cache.pair(currency);
      const { dollars, units } = pair;
      const { newest = Number.NEGATIVE_INFINITY } = cache.stored();
      const rateAt = datedRates(dollars, units);
      const spans = [dollars, ...(units ? [units] : [])].map((series) => series.spans);
      return {
        currency,
        source: 'ecb',
        version,
        usdRate: (at) => rateAt(at).usdRate,
        on: (at) => rateAt(at).on,
        missing: (span: Span) => union(spans.flatMap((valid) => subtractSpans(span, valid))),
        // If a currency lacks the newest rate, this rate may still be published.
        isSettled: (thru) => thru < Math.min(newest, units?.awaitedFrom ?? newest) + DAY,
        endedOn: units?.endedOn,
        isAwaited: isAwaited(currency, pair),
        outcome,
      };
    },

    warnings(): Warning[] {
      const { newest, fetchedAt } = cache.stored();
      const isOld = newest !== undefined && fetchedAt !== undefined && fetchedAt - newest > LONGEST_PAUSE;
      return [
        ...singleFlight.warnings(),
        ...(isOld ? [{ about: 'fetch', what: RATES, cause: 'stale' } satisfies Warning] : []),
      ];
    },
    idle: singleFlight.idle,
  };
}

export type Rates = ReturnType<typeof createRates>;

/** Used if no source of rates is configured. Requests then cannot name a currency that needs rates. */
export const NO_RATES: Rates = {
  valuation: (currency) => Promise.reject(new RangeError(`no rates for ${currency} are available`)),
  warnings: () => [],
  idle: async () => undefined,
};
