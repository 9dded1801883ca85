import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Catalogue } from '#catalogue/catalogue';
import type { CoinList } from '#catalogue/coin-list';
import type { Clock } from '#core/clock';
import type { Candles } from '#prices/candles/candles';
import type { createWindowSender } from '#prices/history/history-routes';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { Market } from '#prices/open-market';
import type { Gate } from '#server/gate';
import type { Send } from '#server/responses/fast-path';
import { bodyOf, type DataResponse } from '#server/responses/response-body';
import { NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import type { Coins } from './coins.ts';
import type { QuoteCurrency } from './currencies.ts';
import { ERRORS } from './errors.ts';

/** The number of coins per charged call. */
const COINS_PER_CALL = 10;
export const callsFor = (coins: number): number => Math.ceil(coins / COINS_PER_CALL);

/** What all routes of CoinGecko's API share. */
export const SHARED = { scope: 'prices', coinGeckoKeys: true, errors: ERRORS } as const;
/** A path without a key. */
export const OPEN = { open: true, errors: ERRORS } as const;
export const FREE = { ...SHARED, cost: 0 } as const;
export const ONE_CALL = { ...SHARED, cost: 1 } as const;

/** The handler charges the coins that the response contains, which depend on more than the parameters. */
export const PER_COIN = {
  ...SHARED,
  cost: () => 0,
  price: `one call for every ${COINS_PER_CALL} returned coins, rounded up`,
  headers: ['Quotient-Token?', 'RateLimit-Policy?', 'RateLimit?'],
} as const;

/** The response for a coin without the requested data, as of `now` (Unix ms). */
export const emptyResponse = (body: string, now: number, gaps: readonly string[] = []): DataResponse => ({
  body: bodyOf(body),
  source: PRIMARY_SOURCE,
  modifiedAt: now,
  fetchedAt: now,
  dueAt: now,
  isImmutable: false,
  gaps,
  outcome: { ...NOTHING_TO_FETCH, fetched: true },
});

/** What the groups of routes share. */
export type RouteOptions = {
  coins: Coins;
  coinList: CoinList;
  catalogue: Catalogue;
  currencies: ReadonlyMap<string, QuoteCurrency>;
  market: Market;
  candles: Candles;
  send: Send;
  sendCharged: ChargedSend;
  sendWindow: ReturnType<typeof createWindowSender>;
  clock: Clock;
};

type Dependencies = { gate: Pick<Gate, 'charge' | 'refund'>; send: Send };

/** Charges `calls`, the maximum, before the response is made, and refunds the difference. */
export function createChargedSend({ gate, send }: Dependencies) {
  return async function sendCharged(
    request: FastifyRequest,
    reply: FastifyReply,
    calls: number,
    respond: () => DataResponse | Promise<DataResponse>,
  ): Promise<void> {
    if (calls > 0) await gate.charge(request, calls);
    const response = await respond();
    const { cost = calls } = response;
    if (cost < calls) {
      gate.refund(request);
      if (cost > 0) await gate.charge(request, cost);
    }
    await send(request, reply, response);
  };
}

type ChargedSend = ReturnType<typeof createChargedSend>;
