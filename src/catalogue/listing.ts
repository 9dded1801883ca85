import { type Clock, DAY, isoDate, startOfDate } from '#core/clock';
import { isOutOfReach, UpstreamFailure } from '#upstream/failure';
import { areFarApart, FIRST_BLOCK } from '#upstream/plausible';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { TOKENS_CHANGED } from './open.ts';
import { BUILT_IN_NAMES, isTokenId, isTokenSymbol, type Token } from './token.ts';
import type { TokenStore } from './token-store.ts';

/** The most tokens that can be served. */
export const MOST_SERVED = 5000;
/** How many coins are suggested for an id that the aggregator does not know. */
const SUGGESTED = 3;

/** Why a token was not added. `told` are names that may be meant instead, or that stand in the way. */
export type Refusal = {
  why: 'built_in' | 'too_many' | 'unknown' | 'is_symbol' | 'no_symbol' | 'no_pair';
  told: readonly string[];
};

/** What became of the pair: `found` by its symbol, `given` by the operator, or why there is none. */
export type PairOutcome =
  | { kind: 'given'; status: string }
  | { kind: 'found'; status: string }
  | { kind: 'not_traded' }
  | { kind: 'left_out' }
  | { kind: 'not_asked'; cause: string }
  /** Prices (USD) that lie too far apart for both to be of the same token. */
  | { kind: 'another'; pair: string; price: number; wanted: number }
  | { kind: 'taken'; pair: string; by: string };

export type Added = {
  token: Token;
  /** Whether it was served already. */
  isKnown: boolean;
  /** Whether `listed` is its first date for certain; else the plan does not reach back far enough to tell. */
  isFirstDate: boolean;
  pair: PairOutcome;
  /** Who else is called by its symbol. */
  shared: readonly Token[];
  /** Whom the symbol stands for. */
  meant: Token;
};

type Wanted = { id: string; symbol?: string | undefined; pair?: string | undefined };

type Dependencies = {
  aggregator: CoinSource;
  venue: PairSource;
  store: TokenStore;
  catalogue: Catalogue;
  clock: Clock;
};

const isBuiltIn = (name: string): boolean => BUILT_IN_NAMES.includes(name);
const refused = (why: Refusal['why'], told: readonly string[] = []): Refusal => ({ why, told });

/** Adds tokens, with what the aggregator and the venue tell of them, and removes them. Throws `UpstreamFailure`. */
export function createListing({ aggregator, venue, store, catalogue, clock }: Dependencies) {
  /** The coins that may be meant by an id that there is not. */
  async function nearest(id: string): Promise<string[]> {
    const found = await aggregator.search(id);
    if (found.length > 0) return found.slice(0, SUGGESTED).map((coin) => coin.id);
    const dates = { begins: '2009-01-03', listed: '2009-01-03', statistics: false, pair: undefined };
    const coins = (await aggregator.coins()).map(({ id: name, ...coin }) => ({ name, ...coin, ...dates }));
    return createCatalogue(coins)
      .nearest(id)
      .map(({ name }) => name);
  }

  /** The first midnight that the aggregator tells of a coin, and the first that its plan reaches (Unix ms). */
  async function firstTold(id: string): Promise<{ first: number | undefined; reach: number }> {
    const days = aggregator.historyDays();
    const isUnlimited = !Number.isFinite(days);
    const reach = isUnlimited ? Number.NEGATIVE_INFINITY : startOfDate(clock.now()) - days * DAY;
    try {
      const [first] = await aggregator.daily(id, isUnlimited ? 'max' : days);
      return { first: first?.at, reach };
    } catch (error) {
      // The plan turned out to reach less far, which the source has learnt by that.
      if (isOutOfReach(error) && aggregator.historyDays() < days) return firstTold(id);
      if (error instanceof UpstreamFailure && error.reason === 'empty') return { first: undefined, reach };
      throw error;
    }
  }

  /** The first date of which a price is known, and whether it is the first of all. */
  async function firstDate({ id, priced, genesis }: Coin) {
    const { first, reach } = await firstTold(id);
    // What begins well within the plan's reach was not listed before.
    if (first !== undefined && first > reach + 2 * DAY) return { listed: isoDate(first), isFirstDate: true };
    const dates = [...priced, ...(genesis ? [genesis] : []), isoDate(first ?? clock.now())];
    return { listed: dates.sort()[0] as string, isFirstDate: false };
  }

  async function pairFor(coin: Coin, wanted: Wanted): Promise<{ pair?: string; outcome: PairOutcome } | Refusal> {
    if (wanted.pair === 'none') return { outcome: { kind: 'left_out' } };
    try {
      const found = await venue.pairOf(wanted.pair ?? coin.symbol);
      if (wanted.pair !== undefined)
        return found ? { pair: found.pair, outcome: { kind: 'given', status: found.status } } : refused('no_pair');
      if (!found) return { outcome: { kind: 'not_traded' } };
      const other = catalogue.all().find(({ name, pair }) => pair === found.pair && name !== coin.id);
      if (other) return { outcome: { kind: 'taken', pair: found.pair, by: other.name } };
      const { pair, price } = found;
      if (price !== undefined && coin.price !== null && areFarApart(price, coin.price))
        return { outcome: { kind: 'another', pair, price, wanted: coin.price } };
      return { pair, outcome: { kind: 'found', status: found.status } };
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || wanted.pair !== undefined) throw error;
      return { outcome: { kind: 'not_asked', cause: error.reason } };
    }
  }

  return {
    /** Adds a token by the aggregator's id; `pair` is a name of the venue's, or `none`. One that is served is told anew. */
    async add(wanted: Wanted): Promise<Added | Refusal> {
      const { id } = wanted;
      if (isBuiltIn(id)) return refused('built_in');
      const known = catalogue.named(id);
      if (!known && catalogue.all().length >= MOST_SERVED) return refused('too_many');
      // What a caller means by a symbol today must not be another token tomorrow.
      const namesake = catalogue.all().find(({ name, symbol }) => symbol === id && name !== id);
      if (namesake) return refused('is_symbol', [namesake.name]);
      const coin = isTokenId(id) ? await aggregator.coin(id) : undefined;
      if (!coin || coin.id !== id) return refused('unknown', await nearest(id));
      const symbol = wanted.symbol ?? coin.symbol;
      if (!isTokenSymbol(symbol)) return refused('no_symbol');
      const { listed, isFirstDate } = await firstDate(coin);
      const found = await pairFor(coin, wanted);
      if ('why' in found) return found;
      const begins = coin.genesis !== undefined && coin.genesis <= listed ? coin.genesis : isoDate(FIRST_BLOCK);
      const token: Token = {
        ...{ name: id, symbol, title: coin.title, begins, listed },
        ...{ statistics: false, pair: found.pair },
      };
      await store.add(TOKENS_CHANGED, token);
      const served = createCatalogue(await store.all());
      const isCalledSo = (one: Token) => one.name !== id && (one.symbol === symbol || one.name === symbol);
      const shared = served.all().filter(isCalledSo);
      const meant = served.find(symbol) ?? token;
      return { token, isKnown: known !== undefined, isFirstDate, pair: found.outcome, shared, meant };
    },

    /** Hides a token; `unknown` where none of that name is served. */
    async remove(name: string): Promise<'removed' | Refusal> {
      if (isBuiltIn(name)) return refused('built_in');
      if (await store.remove(TOKENS_CHANGED, name, clock.now())) return 'removed';
      return refused(
        'unknown',
        catalogue.nearest(name).map((token) => token.name),
      );
    },

    /** The coins of the aggregator that a text may mean, the largest first. */
    find: (text: string): Promise<NamedCoin[]> => aggregator.search(text),
  };
}

export type Listing = ReturnType<typeof createListing>;

/** A coin by what it is called; the symbol in lower case. */
export type NamedCoin = { id: string; symbol: string; title: string };

/** What the aggregator tells of a coin, beside its name. */
export type Coin = NamedCoin & {
  /** In US dollars. */
  price: number | null;
  /** The date of the chain's first block (`YYYY-MM-DD`), where it is known. */
  genesis: string | undefined;
  /** Dates (`YYYY-MM-DD`) of which a price is known. */
  priced: string[];
};

/** A pair by its own name; `price` is undefined where the venue tells none. */
export type FoundPair = { pair: string; status: string; price: number | undefined };

/** What tells of coins. Every verb throws `UpstreamFailure`. */
export type CoinSource = {
  /** What is told of a coin; undefined where there is none of that id. */
  coin(id: string): Promise<Coin | undefined>;
  /** The coins that a text may mean, the largest first. */
  search(text: string): Promise<NamedCoin[]>;
  /** Every coin there is. */
  coins(): Promise<NamedCoin[]>;
  /** Its samples of the last so many days, ascending; `at` in Unix ms. */
  daily(id: string, days: number | 'max'): Promise<readonly { at: number }[]>;
  /** How many days back it tells of; Infinity when it goes all the way back. */
  historyDays(): number;
};

/** What tells of pairs: the one against the US dollar that a symbol, or a name of the venue's, means. */
export type PairSource = { pairOf(text: string): Promise<FoundPair | undefined> };
