import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE, type Span } from '#core/clock';
import type { SourceFacts } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';
import { isOutOfReach } from '#upstream/failures/failure';
import { createItemReport, type Dropped } from '#upstream/items/items';
import { implausible } from '#upstream/items/plausible';
import { openUpstream, type SourceOptions } from '#upstream/transport/upstream';
import { createCoins } from './coingecko-coins.ts';
import { createMarkets } from './coingecko-markets.ts';
import { type CoinGeckoPlanName, coinGeckoPlan, type KeyFacts, reachAfterRefusal } from './coingecko-plans.ts';
import { chartItems, chartOf, createReader, keyResponse, namedReach } from './coingecko-wire.ts';

/** Sizes in bytes. A point in each of a chart's arrays takes 40 bytes. */
const CHART_BYTES = 128 * 1024;
const POINT_BYTES = 400;
/** An array may have twice the expected number of points plus this number. */
const MORE_POINTS = 1000;

const pointsIn = (days: number, spacing: number) => Math.ceil((days * DAY) / spacing) + 1;
const FIVE_MINUTES = 5 * MINUTE;
type Options = SourceOptions & {
  plan: CoinGeckoPlanName;
  apiKey?: string | undefined;
  catalogue: Pick<Catalogue, 'named'>;
  dropped: Dropped;
  /** Latest prices are rejected if even the newest price is older than this, in ms. By default, there is no limit. */
  frozenAfter?: () => number;
};

export const coingecko: SourceFacts = {
  title: 'CoinGecko',
  url: 'https://www.coingecko.com',
  provides: ['latest', 'history'],
  terms: 'https://www.coingecko.com/en/terms',
  attribution: 'Powered by CoinGecko',
};

/** The days of history of the daily and the finer series. Rejections lower them for this process. */
type History = { day: number; finer: number };

function limitReach(history: History, days: number, isOfAll: boolean): void {
  if (isOfAll) history.day = Math.min(history.day, days);
  history.finer = Math.min(history.finer, days);
}

/** Learns the reach from a rejection. A rejection of hours limits days only if it states the plan's days. */
function learnReach(history: History, days: number, isDaily: boolean, error: unknown): void {
  if (!isOutOfReach(error) || days <= 1) return;
  const named = namedReach(error);
  limitReach(history, reachAfterRefusal(days, named), isDaily || named !== undefined);
}

/** CoinGecko v3 (docs.coingecko.com). Every method throws `UpstreamFailure`. */
export function openCoinGecko(options: Options) {
  const { plan, apiKey, catalogue, clock, dropped, ...others } = options;
  const { frozenAfter = () => Number.POSITIVE_INFINITY, ...rest } = others;
  const { keyHeader, ...terms } = coinGeckoPlan(plan);
  const history: History = { day: terms.historyDays, finer: terms.historyDays };
  const read = createReader(apiKey);
  const readHistory = createReader(apiKey, { isHistory: true });
  const headers: Record<string, string> = keyHeader && apiKey ? { [keyHeader]: apiKey } : {};
  const upstream = openUpstream({ ...rest, name: 'coingecko', headers, clock });
  const reportItems = createItemReport(upstream.name, dropped);

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
      return await upstream.send(requested, (response) => {
        const now = clock.now();
        const beginning = beginningOf(catalogue.named(token));
        const items = chartItems(readHistory(shape, response, now), (sample) => implausible(beginning, sample, now));
        return reportItems(requested.path, items).accepted;
      });
    } catch (error) {
      learnReach(history, days, query.interval === 'daily', error);
      throw error;
    }
  }

  return {
    name: 'coingecko' as const,
    plan,

    history: history as Readonly<History>,
    limitReach: (days: number): void => limitReach(history, days, true),
    /** Call this only for paid plans, because CoinGecko rejects other keys. */
    key: (): Promise<KeyFacts> =>
      upstream.send({ path: '/key' }, (response) => read(keyResponse, response, clock.now())),

    quotes: createMarkets({ send: upstream.send, read, catalogue, clock, dropped, frozenAfter }),

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

    ...createCoins({ send: upstream.send, read, clock, dropped }),
    close: upstream.close,
  };
}

export type CoinGecko = ReturnType<typeof openCoinGecko>;
