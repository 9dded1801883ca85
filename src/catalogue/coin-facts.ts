import { type Clock, DAY, isoDate, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';
import { isOutOfReach, UpstreamFailure } from '#upstream/failures/failure';
import { areFarApart } from '#upstream/items/plausible';
import type { Catalogue } from './catalogue.ts';

/** A pair that was `found` by symbol or `given` by the operator, or why the token has no pair. */
export type PairOutcome =
  | { kind: 'given'; status: string }
  | { kind: 'found'; status: string }
  | { kind: 'not_traded' }
  | { kind: 'left_out' }
  /** The token keeps the pair that it had before, if any. */
  | { kind: 'unavailable'; cause: string }
  /** One of the two prices is unknown, so the symbol alone would identify the pair. */
  | { kind: 'unconfirmed'; pair: string }
  /** The two prices (USD) differ too much to belong to the same token. */
  | { kind: 'another'; pair: string; price: number; wanted: number }
  | { kind: 'taken'; pair: string; by: string };

type FirstAvailable = { first: number | undefined; price: number | null; reach: number };

type Dependencies = {
  coinGecko: Pick<CoinSource, 'daily' | 'history'>;
  exchanges: readonly PairSource[];
  catalogue: Pick<Catalogue, 'all' | 'named'>;
  clock: Clock;
};

/** Finds the first date and the pairs of a coin. Throws `UpstreamFailure`, and `token_rejected` for an unknown pair. */
export function createCoinFacts({ coinGecko, exchanges, catalogue, clock }: Dependencies) {
  /** The first midnight with a price and within the plan's history (Unix ms), and the newest price. */
  async function firstAvailable(id: string): Promise<FirstAvailable> {
    const days = coinGecko.history.day;
    const isUnlimited = !Number.isFinite(days);
    const reach = isUnlimited ? Number.NEGATIVE_INFINITY : startOfDate(clock.now()) - days * DAY;
    try {
      const samples = await coinGecko.daily(id, isUnlimited ? 'max' : days);
      return { first: samples[0]?.at, price: samples.at(-1)?.price ?? null, reach };
    } catch (error) {
      // The failure has updated `history`: the plan includes fewer days than assumed.
      if (isOutOfReach(error) && coinGecko.history.day < days) return firstAvailable(id);
      if (error instanceof UpstreamFailure && error.reason === 'empty') return { first: undefined, price: null, reach };
      throw error;
    }
  }

  /** The first date with a known price, and the newest price. */
  async function firstDate({ id, priced, genesis }: Coin) {
    const { first, price, reach } = await firstAvailable(id);
    // A series that begins well within the plan's history has no earlier prices.
    if (first !== undefined && first > reach + 2 * DAY) return { listed: isoDate(first), price, isFirstDate: true };
    const dates = [...priced, ...(genesis ? [genesis] : []), isoDate(first ?? clock.now())];
    const listed = dates.reduce((first, date) => (date < first ? date : first));
    return { listed, price, isFirstDate: false };
  }

  async function pairAt(
    { name, title, pairOf }: PairSource,
    coin: Coin,
    wanted: string | undefined,
  ): Promise<{ pair?: string | undefined; outcome: PairOutcome }> {
    if (wanted === 'none') return { outcome: { kind: 'left_out' } };
    try {
      const found = await pairOf(wanted ?? coin.symbol);
      if (wanted !== undefined) {
        if (found) return { pair: found.pair, outcome: { kind: 'given', status: found.status } };
        const detail = `${title} does not trade this pair for US dollars. Use another pair, or \`none\`.`;
        throw new Problem('token_rejected', detail);
      }
      if (!found) return { outcome: { kind: 'not_traded' } };
      const { pair, price } = found;
      const other = catalogue.all().find((token) => token.pairs[name] === pair && token.name !== coin.id);
      if (other) return { outcome: { kind: 'taken', pair, by: other.name } };
      if (price === undefined || coin.price === null) return { outcome: { kind: 'unconfirmed', pair } };
      if (areFarApart(price, coin.price)) return { outcome: { kind: 'another', pair, price, wanted: coin.price } };
      return { pair, outcome: { kind: 'found', status: found.status } };
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || wanted !== undefined) throw error;
      const pair = catalogue.named(coin.id)?.pairs[name];
      return { pair, outcome: { kind: 'unavailable', cause: error.reason } };
    }
  }

  /** The pairs at all exchanges. Pairs at exchanges that are not in use are kept. */
  async function pairsFor(coin: Coin, wanted: Readonly<Record<string, string | undefined>> = {}) {
    const pairs: Record<string, string> = { ...catalogue.named(coin.id)?.pairs };
    const outcomes = new Map<string, PairOutcome>();
    for (const exchange of exchanges) {
      const { name } = exchange;
      const found = await pairAt(exchange, coin, wanted[name]);
      outcomes.set(name, found.outcome);
      if (found.pair === undefined) delete pairs[name];
      else pairs[name] = found.pair;
    }
    return { pairs, outcomes };
  }

  return { firstDate, pairsFor };
}

export type NamedCoin = { id: string; symbol: string; title: string };

export type Coin = NamedCoin & {
  /** The price in US dollars. */
  price: number | null;
  /** The date of the chain's first block (`YYYY-MM-DD`), if known. */
  genesis: string | undefined;
  /** Dates (`YYYY-MM-DD`) with a known price. */
  priced: string[];
};

/** `price` is undefined if the exchange has no price. */
export type FoundPair = { pair: string; status: string; price: number | undefined };

type DailySample = { at: number; price: number | null };

/** Every method throws `UpstreamFailure`. */
export type CoinSource = {
  coin(id: string): Promise<Coin | undefined>;
  /** Returns the samples of the last `days` days in ascending order. `at` is in Unix ms. */
  daily(id: string, days: number | 'max'): Promise<readonly DailySample[]>;
  /** The number of days of history that the plan includes; Infinity for the full history. */
  history: Readonly<{ day: number }>;
};

/** An exchange. It finds a pair with the US dollar by a symbol or by the exchange's own name for the pair. */
export type PairSource = { name: string; title: string; pairOf(text: string): Promise<FoundPair | undefined> };
