import { type Clock, DAY, type Span, union, without } from '#core/clock';
import { memo } from '#core/memo';
import { traced } from '#core/tracing';
import { type Currency, DOLLAR, EURO } from '#prices/model/currency';
import type { Ecb } from '#prices/sources/ecb';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { createFetchRunner, type FetchOutcome, type SingleFlight } from '#upstream/fetch-runner';
import type { VersionWatcher } from '#upstream/version-watcher';
import { usdRateFromRates } from './conversion.ts';
import { createRateSeries, type KnownRates, planRates, type RateSeries } from './rate-series.ts';
import type { RateStore } from './rate-store.ts';
import type { Valuation } from './valuation.ts';

type Dependencies = {
  source: Pick<Ecb, 'rates'>;
  store: RateStore;
  cache: RateCache;
  singleFlight: SingleFlight<RateFetch>;
  clock: Clock;
};

/** Failures that suggest that too many rates were requested. */
const TOO_MUCH: ReadonlySet<FailureCause> = new Set(['timeout', 'too_large']);

/** Exchange rates. Fetched on request if they are missing or due, and stored forever. */
export function createRates({ source, store, cache, singleFlight, clock }: Dependencies) {
  /** The first request for a currency other than the dollar reads the stored rates. */
  const open = memo(cache.sync, { ttl: Number.POSITIVE_INFINITY, clock });

  async function fetch(from: number): Promise<void> {
    const rates = await source.rates(from);
    await traced('store', {}, () => store.record(RATES, rates, from, clock.now()));
    await cache.sync();
  }

  async function refresh(since: number): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const now = clock.now();
    const plan = planRates(since, cache.known(), now);
    if (!plan) return runner.outcome;
    const isMade = await runner.run(RATES, plan.wait, () => fetch(plan.from));
    const recent = planRates(now, cache.known(), now);
    const { failure } = runner.outcome;
    const isTooMuch = failure instanceof UpstreamFailure && TOO_MUCH.has(failure.reason);
    if (!isMade || !isTooMuch || !recent || recent.from <= plan.from || cache.known().from !== undefined)
      return runner.outcome;
    // Nothing is stored, and a request for many years failed. A request for a single year may succeed.
    singleFlight.forget(RATES);
    return refresh(now);
  }

  return {
    async valuation(currency: Currency, since: number): Promise<Valuation> {
      await open();
      const outcome = await refresh(since);
      const version = `${currency}:${cache.generation()}`;
      const { dollars, units } = await cache.pair(currency);
      const { newest = Number.NEGATIVE_INFINITY } = cache.known();
      const known = [dollars, ...(units ? [units] : [])].map((series) => series.known);
      return {
        currency,
        source: 'ecb',
        version,
        usdRate: usdRateFromRates(dollars, units),
        on: (at) => (units ?? dollars).at(at)?.on ?? Number.NaN,
        missing: (span: Span) => union(known.flatMap((spans) => without(span, spans))),
        isSettled: (thru) => thru < newest + DAY,
        endedOn: units?.endedOn,
        outcome,
      };
    },

    warnings: singleFlight.warnings,
    idle: singleFlight.idle,
  };
}

export type Rates = ReturnType<typeof createRates>;

/** For a service without a source of rates: no request can name a currency that needs rates. */
export const NO_RATES: Rates = {
  valuation: (currency) => Promise.reject(new RangeError(`no rates for ${currency} are available`)),
  warnings: () => [],
  idle: async () => undefined,
};

const RATES = 'rates';
type RateFetch = typeof RATES;

/** The rates per euro. `units` is undefined for the euro itself. */
type RatePair = { dollars: RateSeries; units: RateSeries | undefined };
type RateCacheDependencies = { store: RateStore; versions: Pick<VersionWatcher, 'watch'>; clock: Clock };

/** Holds the stored rates of requested currencies in memory. Every process stores rates first and then reads them. */
export function createRateCache({ store, versions, clock }: RateCacheDependencies) {
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
    known: (): KnownRates => ({ from, newest, fetchedAt: fetchedAt(RATES) }),
    generation: () => generation,

    async pair(currency: Currency): Promise<RatePair> {
      const mine = dollars;
      return { dollars: mine, units: currency === EURO ? undefined : await unitsOf(currency) };
    },
  };
}

type RateCache = ReturnType<typeof createRateCache>;
