import type { Operator } from '#core/actor';
import { type Clock, isoDate } from '#core/clock';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { type CoinSource, createCoinFacts, type NamedCoin, type PairOutcome, type PairSource } from './coin-facts.ts';
import type { CoinList } from './coin-list.ts';
import { BUILT_IN_NAMES, isTokenId, isTokenSymbol, type Token } from './token.ts';
import type { TokenStore } from './token-store.ts';

export const MAX_SERVED = 5000;
const SUGGESTED = 3;

/** The reason why a token was not added or removed. `names` contains suggestions or the conflicting token. */
export type Refusal = {
  reason: 'built_in' | 'too_many' | 'unknown' | 'is_symbol' | 'no_symbol' | 'no_pair' | 'is_loop';
  names: readonly string[];
};

export type Added = {
  token: Token;
  isKnown: boolean;
  /** Whether the token has no earlier prices. False if the plan's history is too short to show that. */
  isFirstDate: boolean;
  /** The outcome by exchange. */
  pairs: ReadonlyMap<string, PairOutcome>;
  shared: readonly Token[];
  /** The token that the symbol refers to. */
  meant: Token;
};

/** `pairs` are pair names by exchange, or `none`. */
type Wanted = { id: string; symbol?: string | undefined; pairs?: Readonly<Record<string, string>> };

type Dependencies = {
  coinGecko: CoinSource;
  coins: Pick<CoinList, 'find' | 'ids'>;
  exchanges: readonly PairSource[];
  store: TokenStore;
  catalogue: Catalogue;
  clock: Clock;
  /** The operator, for the audit log. */
  operator?: Operator;
};

const isBuiltIn = (name: string): boolean => BUILT_IN_NAMES.includes(name);
const refused = (reason: Refusal['reason'], names: readonly string[] = []): Refusal => ({ reason, names });

/** Adds tokens with the data that CoinGecko and the exchanges report, and removes tokens. Throws `UpstreamFailure`. */
export function createListing({ coinGecko, coins, exchanges, store, catalogue, clock, operator }: Dependencies) {
  const { firstDate, pairsFor } = createCoinFacts({ coinGecko, exchanges, catalogue, clock });
  const namesNear = (name: string): string[] => catalogue.nearest(name).map((token) => token.name);

  /** Suggestions for an unknown id. */
  async function nearest(id: string): Promise<string[]> {
    const found = await coins.find(id);
    if (found.length > 0) return found.slice(0, SUGGESTED).map((coin) => coin.id);
    const dates = { begins: '2009-01-03', listed: '2009-01-03', statistics: false, pairs: {} };
    const listed = (await coins.ids()).map(({ id: name, ...coin }) => ({ name, ...coin, ...dates }));
    return createCatalogue(listed)
      .nearest(id)
      .map(({ name }) => name);
  }

  return {
    /** Adds a token by its CoinGecko id, or updates a served token. */
    async add(wanted: Wanted): Promise<Added | Refusal> {
      const { id } = wanted;
      if (isBuiltIn(id)) return refused('built_in');
      const listedToken = catalogue.named(id);
      // Users' requests do not use up the operator's places.
      const ofOperator = catalogue.all().filter(({ isRequested }) => !isRequested);
      if (!listedToken && ofOperator.length >= MAX_SERVED) return refused('too_many');
      // A symbol that is in use must keep its meaning.
      const namesake = catalogue.findItself(id);
      if (namesake && namesake.name !== id) return refused('is_symbol', [namesake.name]);
      const coin = isTokenId(id) ? await coinGecko.coin(id) : undefined;
      if (!coin || coin.id !== id) return refused('unknown', await nearest(id));
      const symbol = wanted.symbol ?? coin.symbol;
      if (!isTokenSymbol(symbol)) return refused('no_symbol');
      const { listed, isFirstDate } = await firstDate(coin);
      const found = await pairsFor(coin, wanted.pairs);
      if ('reason' in found) return found;
      const begins = coin.genesis !== undefined && coin.genesis <= listed ? coin.genesis : isoDate(FIRST_BLOCK);
      const token: Token = {
        name: id,
        symbol,
        title: coin.title,
        begins,
        listed,
        statistics: false,
        pairs: found.pairs,
      };
      await store.add(token, operator);
      const served = createCatalogue(await store.all());
      const isCalledSo = (one: Token) => one.name !== id && (one.symbol === symbol || one.name === symbol);
      const shared = served.all().filter(isCalledSo);
      const meant = served.find(symbol) ?? token;
      return { token, isKnown: listedToken !== undefined, isFirstDate, pairs: found.outcomes, shared, meant };
    },

    /** Hides a token; returns `unknown` if it is not served. */
    async remove(name: string): Promise<'removed' | Refusal> {
      if (isBuiltIn(name)) return refused('built_in');
      if (await store.remove(name, clock.now(), operator)) return 'removed';
      return refused('unknown', namesNear(name));
    },

    /** Sets the successor of a token, or removes it if `successor` is undefined. */
    async alias(name: string, successor: string | undefined): Promise<'changed' | Refusal> {
      if (isBuiltIn(name)) return refused('built_in');
      const unserved = [name, successor ?? name].find((one) => !catalogue.named(one));
      if (unserved !== undefined) return refused('unknown', namesNear(unserved));
      if (successor !== undefined && (successor === name || catalogue.find(successor)?.name === name))
        return refused('is_loop', [name]);
      await store.setSuccessor(name, successor ?? null, operator);
      return 'changed';
    },

    find: (text: string): Promise<NamedCoin[]> => coins.find(text),
  };
}

export type Listing = ReturnType<typeof createListing>;
