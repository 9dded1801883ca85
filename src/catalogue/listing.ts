import { type Clock, DAY, isoDate, startOfDate } from '#core/clock';
import type { Operator } from '#core/operator';
import { isOutOfReach, UpstreamFailure } from '#upstream/failure';
import { areFarApart, FIRST_BLOCK } from '#upstream/plausible';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { TOKENS_CHANGED } from './open.ts';
import { BUILT_IN_NAMES, isTokenId, isTokenSymbol, type Token } from './token.ts';
import type { TokenStore } from './token-store.ts';

export const MOST_SERVED = 5000;
const SUGGESTED = 3;

/** Why a token was not added or removed. `names` contains suggestions or the conflicting token. */
export type Refusal = {
  reason: 'built_in' | 'too_many' | 'unknown' | 'is_symbol' | 'no_symbol' | 'no_pair';
  names: readonly string[];
};

/** `found` by the token's symbol or `given` by the operator. Otherwise, why the token has no pair. */
export type PairOutcome =
  | { kind: 'given'; status: string }
  | { kind: 'found'; status: string }
  | { kind: 'not_traded' }
  | { kind: 'left_out' }
  | { kind: 'unavailable'; cause: string }
  /** The two prices (USD) differ too much to belong to the same token. */
  | { kind: 'another'; pair: string; price: number; wanted: number }
  | { kind: 'taken'; pair: string; by: string };

export type Added = {
  token: Token;
  isKnown: boolean;
  /** Whether the token has no earlier prices. False if the plan's history is too short to show that. */
  isFirstDate: boolean;
  pair: PairOutcome;
  shared: readonly Token[];
  /** The token that the symbol refers to. */
  meant: Token;
};

type Wanted = { id: string; symbol?: string | undefined; pair?: string | undefined };

type Dependencies = {
  coinGecko: CoinSource;
  kraken: PairSource;
  store: TokenStore;
  catalogue: Catalogue;
  clock: Clock;
  /** For the audit log. */
  operator?: Operator;
};

const isBuiltIn = (name: string): boolean => BUILT_IN_NAMES.includes(name);
const refused = (reason: Refusal['reason'], names: readonly string[] = []): Refusal => ({ reason, names });

/** Adds tokens with the data that CoinGecko and Kraken report, and removes tokens. Throws `UpstreamFailure`. */
export function createListing({ coinGecko, kraken, store, catalogue, clock, operator }: Dependencies) {
  /** Suggestions for an unknown id. */
  async function nearest(id: string): Promise<string[]> {
    const found = await coinGecko.search(id);
    if (found.length > 0) return found.slice(0, SUGGESTED).map((coin) => coin.id);
    const dates = { begins: '2009-01-03', listed: '2009-01-03', statistics: false, pair: undefined };
    const coins = (await coinGecko.coins()).map(({ id: name, ...coin }) => ({ name, ...coin, ...dates }));
    return createCatalogue(coins)
      .nearest(id)
      .map(({ name }) => name);
  }

  /** Returns the first midnight with a CoinGecko price, and the first midnight within the plan's history (Unix ms). */
  async function firstAvailable(id: string): Promise<{ first: number | undefined; reach: number }> {
    const days = coinGecko.history.day;
    const isUnlimited = !Number.isFinite(days);
    const reach = isUnlimited ? Number.NEGATIVE_INFINITY : startOfDate(clock.now()) - days * DAY;
    try {
      const [first] = await coinGecko.daily(id, isUnlimited ? 'max' : days);
      return { first: first?.at, reach };
    } catch (error) {
      // The failure has updated `history`: the plan includes fewer days than assumed.
      if (isOutOfReach(error) && coinGecko.history.day < days) return firstAvailable(id);
      if (error instanceof UpstreamFailure && error.reason === 'empty') return { first: undefined, reach };
      throw error;
    }
  }

  async function firstDate({ id, priced, genesis }: Coin) {
    const { first, reach } = await firstAvailable(id);
    // A series that begins well within the plan's history has no earlier prices.
    if (first !== undefined && first > reach + 2 * DAY) return { listed: isoDate(first), isFirstDate: true };
    const dates = [...priced, ...(genesis ? [genesis] : []), isoDate(first ?? clock.now())];
    return { listed: dates.sort()[0] as string, isFirstDate: false };
  }

  async function pairFor(coin: Coin, wanted: Wanted): Promise<{ pair?: string; outcome: PairOutcome } | Refusal> {
    if (wanted.pair === 'none') return { outcome: { kind: 'left_out' } };
    try {
      const found = await kraken.pairOf(wanted.pair ?? coin.symbol);
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
      return { outcome: { kind: 'unavailable', cause: error.reason } };
    }
  }

  return {
    /** Adds a token by its CoinGecko id, or updates a served token. `pair` is a Kraken pair name or `none`. */
    async add(wanted: Wanted): Promise<Added | Refusal> {
      const { id } = wanted;
      if (isBuiltIn(id)) return refused('built_in');
      const known = catalogue.named(id);
      if (!known && catalogue.all().length >= MOST_SERVED) return refused('too_many');
      // A symbol that is in use must keep its meaning.
      const namesake = catalogue.all().find(({ name, symbol }) => symbol === id && name !== id);
      if (namesake) return refused('is_symbol', [namesake.name]);
      const coin = isTokenId(id) ? await coinGecko.coin(id) : undefined;
      if (!coin || coin.id !== id) return refused('unknown', await nearest(id));
      const symbol = wanted.symbol ?? coin.symbol;
      if (!isTokenSymbol(symbol)) return refused('no_symbol');
      const { listed, isFirstDate } = await firstDate(coin);
      const found = await pairFor(coin, wanted);
      if ('reason' in found) return found;
      const begins = coin.genesis !== undefined && coin.genesis <= listed ? coin.genesis : isoDate(FIRST_BLOCK);
      const token: Token = {
        name: id,
        symbol,
        title: coin.title,
        begins,
        listed,
        statistics: false,
        pair: found.pair,
      };
      await store.add(TOKENS_CHANGED, token, operator);
      const served = createCatalogue(await store.all());
      const isCalledSo = (one: Token) => one.name !== id && (one.symbol === symbol || one.name === symbol);
      const shared = served.all().filter(isCalledSo);
      const meant = served.find(symbol) ?? token;
      return { token, isKnown: known !== undefined, isFirstDate, pair: found.outcome, shared, meant };
    },

    /** Hides a token; returns `unknown` if it is not served. */
    async remove(name: string): Promise<'removed' | Refusal> {
      if (isBuiltIn(name)) return refused('built_in');
      if (await store.remove(TOKENS_CHANGED, name, clock.now(), operator)) return 'removed';
      const names = catalogue.nearest(name).map((token) => token.name);
      return refused('unknown', names);
    },

    find: (text: string): Promise<NamedCoin[]> => coinGecko.search(text),
  };
}

export type Listing = ReturnType<typeof createListing>;

export type NamedCoin = { id: string; symbol: string; title: string };

export type Coin = NamedCoin & {
  /** The price in US dollars. */
  price: number | null;
  /** The date of the chain's first block (`YYYY-MM-DD`), if known. */
  genesis: string | undefined;
  /** Dates (`YYYY-MM-DD`) with a known price. */
  priced: string[];
};

/** `price` is undefined if Kraken has no price. */
export type FoundPair = { pair: string; status: string; price: number | undefined };

/** Every method throws `UpstreamFailure`. */
type CoinSource = {
  coin(id: string): Promise<Coin | undefined>;
  search(text: string): Promise<NamedCoin[]>;
  coins(): Promise<NamedCoin[]>;
  /** Returns the samples of the last `days` days in ascending order. `at` is in Unix ms. */
  daily(id: string, days: number | 'max'): Promise<readonly { at: number }[]>;
  /** The number of days of history that the plan includes; Infinity for the full history. */
  history: Readonly<{ day: number }>;
};

/** Finds the pair against the US dollar by a symbol or by a Kraken pair name. */
type PairSource = { pairOf(text: string): Promise<FoundPair | undefined> };
