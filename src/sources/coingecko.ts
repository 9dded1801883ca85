import { type Clock, DAY } from '../domain/clock.ts';
import type { LatestPrice } from '../domain/records.ts';
import type { Sample } from '../domain/sample.ts';
import type { Span } from '../domain/span.ts';
import { isTokenName, type TokenName } from '../domain/token.ts';
import { UpstreamFailure } from '../domain/upstream-failure.ts';
import { chartAnswer, chartSamples, createReader, type Market, marketsAnswer } from './coingecko-wire.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

/** What each plan of the aggregator gives: the header its key goes into, and how many days of history. */
const PLANS = {
  public: { keyHeader: undefined, historyDays: 365 },
  demo: { keyHeader: 'x-cg-demo-api-key', historyDays: 365 },
  pro: { keyHeader: 'x-cg-pro-api-key', historyDays: Number.POSITIVE_INFINITY },
} as const;

export type CoinGeckoPlan = keyof typeof PLANS;

/** The latest price of a token and the time of its sample (Unix ms). */
export type Quote = { token: TokenName; record: LatestPrice; at: number };

const toHttpDate = (iso: string | null) => iso && new Date(iso).toUTCString();

function toQuote(market: Market, now: number): Quote[] {
  const { id, last_updated, current_price, ...figures } = market;
  if (!isTokenName(id) || current_price === null) return [];
  const record = {
    current_price,
    ...figures,
    ath_date: toHttpDate(figures.ath_date),
    atl_date: toHttpDate(figures.atl_date),
  };
  return [{ token: id, record, at: last_updated ? Date.parse(last_updated) : now }];
}

type Options = {
  plan: CoinGeckoPlan;
  apiKey?: string | undefined;
  clock: Clock;
} & Pick<UpstreamOptions, 'url' | 'timeoutMs' | 'reserve' | 'interval' | 'observe' | 'breaker'>;

/** CoinGecko v3 (docs.coingecko.com). Every verb throws `UpstreamFailure`. */
export function openCoinGecko({ url, plan, apiKey, clock, ...rest }: Options) {
  const { keyHeader, historyDays } = PLANS[plan];
  const read = createReader(apiKey);
  const headers: Record<string, string> = keyHeader && apiKey ? { [keyHeader]: apiKey } : {};
  const upstream = openUpstream({ ...rest, name: 'coingecko', url: url.replace(/\/+$/, ''), headers, clock });

  function chart(token: TokenName, path: string, query: Record<string, string>): Promise<Sample[]> {
    return upstream.ask(
      { path: `/coins/${token}${path}`, query: { vs_currency: 'usd', ...query } },
      (answer) => chartSamples(read(chartAnswer, answer, clock.now())),
    );
  }

  return {
    plan,

    /** The earliest instant (Unix ms) of which the plan tells anything; -Infinity when it goes all the way back. */
    reach: (now: number) => now - historyDays * DAY,

    /** The latest prices of the tokens named; one that the aggregator leaves out, or has no price of, is left out. */
    async quotes(tokens: readonly TokenName[]): Promise<Quote[]> {
      const query = { vs_currency: 'usd', ids: tokens.join(',') };
      return upstream.ask({ path: '/coins/markets', query }, (answer) => {
        const now = clock.now();
        const quotes = read(marketsAnswer, answer, now).flatMap((market) => toQuote(market, now));
        if (quotes.length > 0) return quotes;
        throw new UpstreamFailure('coingecko', 'empty', 'none of the tokens asked for');
      });
    },

    /** The last so many days at the aggregator's own grain: 1 is five-minutely, 2 to 90 hourly. Ascending. */
    recent: (token: TokenName, days: number) => chart(token, '/market_chart', { days: String(days) }),

    /** One sample for each midnight (UTC) of the last so many days, and the newest. Ascending. */
    daily: (token: TokenName, days: number | 'max') =>
      chart(token, '/market_chart', { days: String(days), interval: 'daily' }),

    /** A span that is not the last day: hourly up to 90 days. Ascending. */
    between: (token: TokenName, { from, thru }: Span) =>
      chart(token, '/market_chart/range', {
        from: String(Math.floor(from / 1000)),
        to: String(Math.ceil(thru / 1000)),
      }),

    close: upstream.close,
  };
}

export type CoinGecko = ReturnType<typeof openCoinGecko>;
