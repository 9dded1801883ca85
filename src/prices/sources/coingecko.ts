import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, iso, MINUTE, type Span } from '#core/clock';
import type { LatestPrice } from '#prices/model/records';
import type { Quote, Sample } from '#prices/model/sample';
import { isOutOfReach, UpstreamFailure } from '#upstream/failure';
import { implausible, plausibleFigure } from '#upstream/plausible';
import { openUpstream, type UpstreamOptions } from '#upstream/transport/upstream';
import { createCoins } from './coingecko-coins.ts';
import { type CoinGeckoPlanName, coinGeckoPlan, type KeyFacts, reachAfterRefusal } from './coingecko-plans.ts';
import {
  chartOf,
  chartSamples,
  createReader,
  keyAnswer,
  type Market,
  marketsOf,
  namedReach,
} from './coingecko-wire.ts';
import { createPlausible, type Dropped } from './dropped-samples.ts';

/** Sizes in bytes. A token's record takes about 1 KB, and a point in each of a chart's arrays takes 40 bytes. */
const MARKETS_BYTES = 44 * 1024;
const MARKET_BYTES = 4 * 1024;
const CHART_BYTES = 128 * 1024;
const POINT_BYTES = 400;
/**
 * Tolerances for responses that are longer than requested. Each array of a chart may have twice the points plus
 * `MORE_POINTS`, and a list of prices may have `MORE_TOKENS` more tokens.
 */
const MORE_POINTS = 1000;
const MORE_TOKENS = 250;

const pointsIn = (days: number, spacing: number) => Math.ceil((days * DAY) / spacing) + 1;
const FIVE_MINUTES = 5 * MINUTE;
const toHttpDate = (iso: string | null) => iso && new Date(iso).toUTCString();
type RecordedQuote = Quote & { record: LatestPrice };

function toQuote(market: Market, now: number): RecordedQuote[] {
  const { id, last_updated, current_price, ...figures } = market;
  if (current_price === null) return [];
  const record = {
    current_price,
    ...figures,
    market_cap: plausibleFigure(figures.market_cap),
    total_volume: plausibleFigure(figures.total_volume),
    ath_date: toHttpDate(figures.ath_date),
    atl_date: toHttpDate(figures.atl_date),
  };
  return [{ token: id, price: current_price, record, at: last_updated ? Date.parse(last_updated) : now }];
}

type Options = {
  plan: CoinGeckoPlanName;
  apiKey?: string | undefined;
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  dropped: Dropped;
  /** In ms. Latest prices are rejected if even the newest is older than this. By default, there is no limit. */
  frozenAfter?: () => number;
} & Pick<UpstreamOptions, 'url' | 'timeoutMs' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'>;

/** CoinGecko v3 (docs.coingecko.com). Every method throws `UpstreamFailure`. */
export function openCoinGecko(options: Options) {
  const { plan, apiKey, catalogue, clock, dropped, ...others } = options;
  const { frozenAfter = () => Number.POSITIVE_INFINITY, ...rest } = others;
  const { keyHeader, ...terms } = coinGeckoPlan(plan);
  const history = { day: terms.historyDays, finer: terms.historyDays };
  const read = createReader(apiKey);
  const headers: Record<string, string> = keyHeader && apiKey ? { [keyHeader]: apiKey } : {};
  const upstream = openUpstream({ ...rest, name: 'coingecko', headers, clock });
  const plausible = createPlausible(upstream.name, dropped);

  function limitReach(days: number, isOfAll: boolean): void {
    if (isOfAll) history.day = Math.min(history.day, days);
    history.finer = Math.min(history.finer, days);
  }

  /**
   * Learns from a refusal how far the history reaches. A refused request for hours limits the daily series only if the
   * refusal states the plan's days.
   */
  function learnReach(days: number, isDaily: boolean, error: unknown): void {
    if (!isOutOfReach(error) || days <= 1) return;
    const named = namedReach(error);
    limitReach(reachAfterRefusal(days, named), isDaily || named !== undefined);
  }

  /** @param days how far back the request reaches */
  async function chart(
    token: TokenName,
    path: string,
    query: Record<string, string>,
    points: number,
    days: number,
  ): Promise<Sample[]> {
    const shape = chartOf(2 * points + MORE_POINTS);
    const maxBytes = CHART_BYTES + POINT_BYTES * points;
    const requested = { path: `/coins/${token}${path}`, query: { vs_currency: 'usd', ...query }, maxBytes };
    try {
      return await upstream.send(requested, (answer) => {
        const now = clock.now();
        const samples = chartSamples(read(shape, answer, now));
        const beginning = beginningOf(catalogue.named(token));
        return plausible(requested.path, samples, (sample) => implausible(beginning, sample, now)).map((sample) => ({
          ...sample,
          marketCap: plausibleFigure(sample.marketCap),
          volume: plausibleFigure(sample.volume),
        }));
      });
    } catch (error) {
      learnReach(days, query.interval === 'daily', error);
      throw error;
    }
  }

  return {
    name: 'coingecko' as const,
    plan,

    /** The days of history of the daily and the finer series. Refusals and `limitReach` lower them for this process. */
    history: history as Readonly<typeof history>,
    limitReach: (days: number): void => limitReach(days, true),
    /** For paid plans only: CoinGecko rejects other keys. */
    key: (): Promise<KeyFacts> => upstream.send({ path: '/key' }, (answer) => read(keyAnswer, answer, clock.now())),

    /** The latest prices of the named tokens. Omits tokens without a price. */
    async quotes(tokens: readonly TokenName[]): Promise<RecordedQuote[]> {
      const query = { vs_currency: 'usd', ids: tokens.join(',') };
      const maxBytes = MARKETS_BYTES + MARKET_BYTES * tokens.length;
      const path = '/coins/markets';
      const wanted = new Set(tokens);
      return upstream.send({ path, query, maxBytes }, (answer) => {
        const now = clock.now();
        const markets = read(marketsOf(tokens.length + MORE_TOKENS), answer, now);
        const quotes = markets.flatMap((market) => (wanted.has(market.id) ? toQuote(market, now) : []));
        if (quotes.length === 0) throw new UpstreamFailure('coingecko', 'empty', 'none of the requested tokens');
        const reported = plausible(path, quotes, ({ token, ...sample }) =>
          implausible(beginningOf(catalogue.named(token)), sample, now),
        );
        const newest = Math.max(...reported.map(({ at }) => at));
        if (now - newest <= frozenAfter()) return reported;
        throw new UpstreamFailure('coingecko', 'stale', `the newest price is from ${iso(newest)}`);
      });
    },

    /** The last `days` days at CoinGecko's own interval: five minutes for one day, hours for 2 to 90 days. */
    recent: (token: TokenName, days: number) =>
      chart(token, '/market_chart', { days: String(days) }, pointsIn(days, days === 1 ? FIVE_MINUTES : HOUR), days),

    /** A sample for each midnight (UTC) of the last `days` days, and the newest sample, in ascending order. */
    daily: (token: TokenName, days: number | 'max') =>
      chart(
        token,
        '/market_chart',
        { days: String(days), interval: 'daily' },
        days === 'max' ? pointsIn((clock.now() - beginningOf(catalogue.named(token))) / DAY, DAY) : pointsIn(days, DAY),
        days === 'max' ? Number.POSITIVE_INFINITY : days,
      ),

    /** The samples of a span before the last day, in ascending order. A span of up to 90 days has hourly samples. */
    between: (token: TokenName, { from, thru }: Span) =>
      chart(
        token,
        '/market_chart/range',
        { from: String(Math.floor(from / 1000)), to: String(Math.ceil(thru / 1000)) },
        pointsIn((thru - from) / DAY, HOUR),
        (clock.now() - from) / DAY,
      ),

    ...createCoins({ send: upstream.send, read, clock }),
    close: upstream.close,
  };
}

export type CoinGecko = ReturnType<typeof openCoinGecko>;
