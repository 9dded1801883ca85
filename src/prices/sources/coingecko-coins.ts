import { z } from 'zod';
import type { Coin, NamedCoin } from '#catalogue/listing';
import { type Clock, isoDate } from '#core/clock';
import { listOf, maybe } from '#upstream/transport/json-answer';
import type { Upstream } from '#upstream/transport/upstream';
import { type createReader, figure } from './coingecko-wire.ts';

/** Size limits in bytes. A coin has a description and figures in sixty currencies, and the list has 17,000 coins. */
const COIN_BYTES = 1024 * 1024;
const SEARCH_BYTES = 1024 * 1024;
const LIST_BYTES = 8 * 1024 * 1024;
const MOST_COINS = 60_000;

const named = z
  .object({ id: z.string(), symbol: z.string(), name: z.string() })
  .transform(({ id, symbol, name }): NamedCoin => ({ id, symbol: symbol.toLowerCase(), title: name }));

const inDollars = <T extends z.ZodType>(schema: T) => maybe(z.object({ usd: maybe(schema) }));
const instant = z.iso.datetime({ offset: true });

const coin = z.object({
  genesis_date: maybe(z.iso.date()),
  market_data: maybe(
    z.object({ current_price: inDollars(figure), ath_date: inDollars(instant), atl_date: inDollars(instant) }),
  ),
});

function toCoin(called: NamedCoin, { genesis_date, market_data }: z.infer<typeof coin>): Coin {
  const priced = [market_data?.ath_date?.usd, market_data?.atl_date?.usd];
  return {
    ...called,
    price: market_data?.current_price?.usd ?? null,
    genesis: genesis_date ?? undefined,
    priced: priced.flatMap((time) => (time ? isoDate(Date.parse(time)) : [])),
  };
}

type Dependencies = { send: Upstream['send']; read: ReturnType<typeof createReader>; clock: Clock };

/** Every method throws `UpstreamFailure`. */
export function createCoins({ send, read, clock }: Dependencies) {
  return {
    coin: (id: string): Promise<Coin | undefined> => {
      const left = ['localization', 'tickers', 'community_data', 'developer_data', 'sparkline'];
      const query = Object.fromEntries(left.map((name) => [name, 'false']));
      return send({ path: `/coins/${id}`, query, maxBytes: COIN_BYTES }, (answer) => {
        if (answer.status === 404) return undefined;
        const now = clock.now();
        return toCoin(read(named, answer, now), read(coin, answer, now));
      });
    },

    search: (text: string): Promise<NamedCoin[]> =>
      send({ path: '/search', query: { query: text }, maxBytes: SEARCH_BYTES }, (answer) => {
        const found = z.object({ coins: listOf(named, MOST_COINS) });
        return read(found, answer, clock.now()).coins;
      }),

    coins: (): Promise<NamedCoin[]> =>
      send({ path: '/coins/list', maxBytes: LIST_BYTES }, (answer) =>
        read(listOf(named, MOST_COINS), answer, clock.now()),
      ),
  };
}
