import type { Token, TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { rateUnavailable, type Valuation, withRates } from '#prices/currencies/valuation';
import { type Currency, DOLLAR, tokenOfCurrency, type UsdRate } from '#prices/model/currency';
import { INTERVALS } from '#prices/model/interval';
import { samplesOf } from '#prices/model/series';
import type { DataResponse } from '#server/responses/response-body';
import { upstreamProblem } from '#upstream/failures/failure';
import { allOutcomes } from '#upstream/fetch-runner';
import type { ArchiveCache } from './latest-cache.ts';
import type { SourcedLatest } from './latest-composition.ts';
import { createLatestFacts, type LatestDeps } from './latest-response.ts';
import { priceOf, versionOf } from './latest-rows.ts';
import type { ArchiveStore, RankedFigures } from './latest-store.ts';

type Named = Pick<Token, 'name' | 'symbol' | 'title'>;

/** A token with its latest figures in US dollars. */
export type PricedToken = Named & {
  latest: SourcedLatest;
  change: number | null;
  /** The archived price `ago` ms before the latest price. Null without a sample near that time. */
  before: (ago: number) => number | null;
  /** The archived hourly prices of the `ago` ms before the latest price. Undefined if some are missing. */
  hours: (ago: number) => number[] | undefined;
};

/** The value of a currency's unit in US dollars, now, 24 hours ago, and on the dates of the extremes. NaN if unknown. */
export type LatestRate = { currency: Currency; now: number; dayBefore: number; at: UsdRate };

type FiguresRequest<Row> = {
  requestKey: string;
  tokens: readonly Named[];
  currencies: readonly Currency[];
  /** Whether the rates on the dates of the all-time highs and lows are needed. */
  withExtremes?: boolean;
  /** The age of the oldest rate that `rows` reads, in ms; a day by default. */
  ratesOf?: number;
  rows(priced: readonly PricedToken[], rates: readonly LatestRate[]): Row[];
  write(rows: readonly Row[]): Iterable<string>;
  cost(rows: readonly Row[]): number;
};

/** Responses with more figures than this are written in pieces. */
const WIDE = 2_000;
const IN_DOLLARS: LatestRate = { currency: DOLLAR, now: 1, dayBefore: 1, at: () => 1 };

type Archive = Pick<ArchiveCache, 'load' | 'latest' | 'series'>;

/** The largest accepted distance from a past instant, in ms. Only the last day has minutes. */
const toleranceOf = (ago: number): number => (ago < DAY ? 10 * MINUTE : ago < 60 * DAY ? HOUR : DAY / 2);

function priceBefore(archive: Archive, token: string, at: number): number | null {
  const tolerance = toleranceOf((archive.latest(token)?.at ?? at) - at);
  const samples = INTERVALS.flatMap((interval) => [
    ...samplesOf(archive.series(token, interval).slice(at - tolerance, at + tolerance)),
  ]);
  const [nearest] = samples
    .filter(({ price }) => price !== null)
    .sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at));
  return nearest?.price ?? null;
}

function hoursBefore(archive: Archive, token: string, at: number, ago: number): number[] | undefined {
  const samples = [...samplesOf(archive.series(token, 'hour').slice(at - ago, at))];
  const prices = samples.flatMap(({ price }) => price ?? []);
  return prices.length >= ago / HOUR - 2 ? prices : undefined;
}

/** Responses with the latest figures of any number of tokens, in several currencies. */
export function createLatestFigures({ archive, backfill, cachedResponses, valuations, clock }: LatestDeps) {
  const factsOf = createLatestFacts({ backfill, clock });

  function pricedToken(token: Named): PricedToken[] {
    const { name, symbol, title } = token;
    const { latest, change } = priceOf(archive, token);
    if (!latest) return [];
    return [
      {
        ...{ name, symbol, title, latest },
        change: change ?? latest.market?.price_change_percentage_24h ?? null,
        before: (ago) => priceBefore(archive, name, latest.at - ago),
        hours: (ago) => hoursBefore(archive, name, latest.at, ago),
      },
    ];
  }

  /** If the currency is a token, its change over a day comes from its own samples. */
  function dayBefore({ now, usdRate }: Valuation & { now: number }, token: string | undefined): number {
    if (token === undefined) return usdRate(clock.now() - DAY);
    const [priced] = pricedToken({ name: token, symbol: '', title: '' });
    return priced?.change == null ? Number.NaN : now / (1 + priced.change / 100);
  }

  async function rateOf(
    currency: Currency,
    latest: readonly SourcedLatest[],
    { withExtremes = false, ratesOf = DAY }: Pick<FiguresRequest<never>, 'withExtremes' | 'ratesOf'>,
  ) {
    if (currency === DOLLAR) return { rate: IN_DOLLARS, valuation: undefined };
    const token = tokenOfCurrency(currency);
    // The highest and lowest prices in bitcoin are at other times than those in dollars.
    const records = withExtremes && token === undefined ? latest.map(({ record }) => record) : [];
    const valuation = await valuations.ofLatest(currency, records, clock.now() - ratesOf);
    const { now, usdRate } = valuation;
    return { rate: { currency, now, dayBefore: dayBefore(valuation, token), at: usdRate }, valuation };
  }

  async function make<Row>(request: FiguresRequest<Row>): Promise<DataResponse> {
    const { requestKey, tokens, currencies } = request;
    await Promise.all(tokens.map(({ name }) => archive.load(name)));
    const fetched = allOutcomes(await Promise.all(tokens.map(({ name }) => backfill.latest(name))));
    const latest = tokens.flatMap((token) => pricedToken(token).map((priced) => priced.latest));
    const rates = await Promise.all(currencies.map((currency) => rateOf(currency, latest, request)));
    // All prices are read at once here, because they may have been replaced while the rates were fetched.
    const priced = tokens.flatMap(pricedToken);
    if (priced.length === 0 && fetched.failure !== undefined) throw upstreamProblem(fetched.failure);
    const [first] = rates;
    // It is sufficient if one rate is known, because figures in the other currencies can be omitted.
    if (priced.length > 0 && first?.valuation && rates.every(({ rate }) => Number.isNaN(rate.now))) {
      const now = clock.now();
      throw rateUnavailable(first.valuation, { from: now, thru: now }, []);
    }
    const outcome = rates.reduce((sum, { valuation }) => withRates(sum, valuation?.outcome), fetched);
    const currentRates = rates.map(({ rate }) => rate);
    const rows = request.rows(priced, currentRates);
    const version = [
      ...priced.map(({ name, symbol, title, latest, change }) =>
        [name, symbol, title, versionOf(latest), change].join(),
      ),
      ...rates.map(({ rate, valuation }) => [rate.currency, rate.now, rate.dayBefore, valuation?.version].join()),
    ].join(';');
    const isWide = priced.length * currencies.length > WIDE;
    const body = await cachedResponses.bodyOfRows(requestKey, { version, isWide }, () => request.write(rows));
    const facts = factsOf(
      priced.map((one) => one.latest),
      outcome,
    );
    return { body, ...facts, cost: request.cost(rows) };
  }

  return <Row>(request: FiguresRequest<Row>): DataResponse | Promise<DataResponse> =>
    cachedResponses.respond(
      request.requestKey,
      () => request.tokens.length * request.currencies.length > WIDE,
      () => make(request),
    );
}

/** How long all clients share a ranking, in ms. */
const KEPT_FOR = 10 * SECOND;

export type Ranked = Omit<RankedFigures, 'token'>;

/** The stored market caps and volumes (USD) of all tokens, which are not all in memory. */
export function createRanking(store: Pick<ArchiveStore, 'figures'>, clock: Clock) {
  async function read(): Promise<ReadonlyMap<TokenName, Ranked>> {
    return new Map((await store.figures()).map(({ token, ...figures }) => [token, figures]));
  }
  return memo(read, { ttl: KEPT_FOR, clock });
}
