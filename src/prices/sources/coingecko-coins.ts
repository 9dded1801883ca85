import { z } from 'zod';
import type { Coin, NamedCoin } from '#catalogue/coin-facts';
import type { ListedCoin } from '#catalogue/token';
import { type Clock, isoDate } from '#core/clock';
import { createItemReport, type Dropped, readItems, readMembers } from '#upstream/items/items';
import { FIRST_BLOCK, implausibleTime } from '#upstream/items/plausible';
import { maybe, numberOrNumericString } from '#upstream/transport/json-response';
import type { Upstream } from '#upstream/transport/upstream';
import type { createReader } from './coingecko-wire.ts';

/** In bytes. A coin has figures in sixty currencies. The list has 17,000 coins, which take 3 MB. */
const COIN_BYTES = 1024 * 1024;
const LIST_BYTES = 8 * 1024 * 1024;
const MAX_COINS = 60_000;

const named = z
  .object({ id: z.string(), symbol: z.string(), name: z.string() })
  .transform(({ id, symbol, name }): NamedCoin => ({ id, symbol: symbol.toLowerCase(), title: name }));

/** A coin with its addresses. An address that is not a string or is empty identifies no contract. */
function listedCoinOf(value: unknown): ListedCoin | 'malformed' {
  const coin = named.safeParse(value).data;
  if (!coin || coin.id === '') return 'malformed';
  const { platforms } = value as { platforms?: unknown };
  const entries = typeof platforms === 'object' ? Object.entries(platforms ?? {}) : [];
  const isAddress = (entry: [string, unknown]): entry is [string, string] =>
    entry[0] !== '' && typeof entry[1] === 'string' && entry[1] !== '';
  return { ...coin, platforms: Object.fromEntries(entries.filter(isAddress)) };
}

const inDollars = <T extends z.ZodType>(schema: T) => z.object({ usd: maybe(schema) });
const instant = z.iso.datetime({ offset: true }).transform(Date.parse);
const OPTIONAL = { genesis_date: z.iso.date().transform(Date.parse), market_data: z.looseObject({}) };
const FIGURES = {
  current_price: inDollars(numberOrNumericString.pipe(z.number().positive())),
  ath_date: inDollars(instant),
  atl_date: inDollars(instant),
};

/** Only the names are required. A date before the first block or in the future counts as missing. */
function coinOf(value: unknown, nulled: (member: string) => void, now: number): Coin | 'malformed' {
  const called = named.safeParse(value).data;
  if (!called) return 'malformed';
  const { genesis_date, market_data } = readMembers(value, OPTIONAL, nulled);
  const { current_price, ath_date, atl_date } = readMembers(market_data, FIGURES, nulled);
  const dateOf = (at: number | null | undefined) =>
    at == null || implausibleTime(FIRST_BLOCK, at, now) ? [] : [isoDate(at)];
  return {
    ...called,
    price: current_price?.usd ?? null,
    genesis: dateOf(genesis_date)[0],
    priced: [ath_date?.usd, atl_date?.usd].flatMap(dateOf),
  };
}

type Dependencies = { send: Upstream['send']; read: ReturnType<typeof createReader>; clock: Clock; dropped: Dropped };

/** Every method throws `UpstreamFailure`. */
export function createCoins({ send, read, clock, dropped }: Dependencies) {
  const reportItems = createItemReport('coingecko', dropped);
  const list = z.array(z.unknown()).max(MAX_COINS);
  return {
    coin: (id: string): Promise<Coin | undefined> => {
      const left = ['localization', 'tickers', 'community_data', 'developer_data', 'sparkline'];
      const query = Object.fromEntries(left.map((name) => [name, 'false']));
      const path = `/coins/${id}`;
      return send({ path, query, maxBytes: COIN_BYTES }, (response) => {
        if (response.status === 404) return undefined;
        const now = clock.now();
        const body = read(z.unknown(), response, now);
        return reportItems(path, readItems([body], { read: (coin, nulled) => coinOf(coin, nulled, now) })).accepted[0];
      });
    },

    /** All coins with their contract addresses by platform. If an ID is repeated, the last coin counts. */
    coins: (): Promise<ListedCoin[]> =>
      send({ path: '/coins/list', query: { include_platform: 'true' }, maxBytes: LIST_BYTES }, (response) => {
        const values = read(list, response, clock.now());
        const items = readItems(values, { read: listedCoinOf, keyOf: ({ id }) => id });
        return reportItems('/coins/list', items).accepted;
      }),
  };
}
