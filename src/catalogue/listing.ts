import type { Operator } from '#core/actor';
import { type Clock, isoDate } from '#core/clock';
import { editDistance, tolerance } from '#core/forms/record-fields';
import { Problem } from '#core/problems';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import type { Catalogue } from './catalogue.ts';
import { type CoinSource, createCoinFacts, type NamedCoin, type PairOutcome, type PairSource } from './coin-facts.ts';
import type { CoinList } from './coin-list.ts';
import { BUILT_IN_NAMES, isTokenId, isTokenSymbol, MAX_SERVED, type Token } from './token.ts';
import type { TokenStore } from './token-store.ts';

const SUGGESTED = 3;

export type Added = {
  token: Token;
  isKnown: boolean;
  /** Whether the token has no earlier prices. False if the plan's history is too short to show that. */
  isFirstDate: boolean;
  pairs: ReadonlyMap<string, PairOutcome>;
  shared: readonly Token[];
  /** The token that the symbol refers to. */
  meant: Token;
};

/** `pairs` are pair names by exchange, or `none`. */
type Wanted = {
  id: string;
  symbol?: string | undefined;
  pairs?: Readonly<Record<string, string | undefined>> | undefined;
};

type Dependencies = {
  /** Undefined if CoinGecko is not a source of the service. */
  coinGecko: CoinSource | undefined;
  coins: Pick<CoinList, 'find' | 'ids'>;
  exchanges: readonly PairSource[];
  store: TokenStore;
  catalogue: Catalogue & { sync(): Promise<void> };
  clock: Clock;
};

const rejected = (detail: string) => new Problem('token_rejected', detail);

function unknown(detail: string, similar: readonly string[]): Problem {
  return new Problem('not_found', similar.length === 0 ? detail : `${detail} Did you mean ${similar.join(' or ')}?`);
}

function assertAdded(name: string): void {
  if (BUILT_IN_NAMES.includes(name)) throw rejected('This token is built in and cannot be changed or removed.');
}

async function nearestIds(coins: Dependencies['coins'], id: string): Promise<string[]> {
  const found = await coins.find(id);
  if (found.length > 0) return found.slice(0, SUGGESTED).map((coin) => coin.id);
  const max = tolerance(id.length);
  return (await coins.ids())
    .map((coin) => ({ id: coin.id, distance: editDistance(coin.id, id, max) }))
    .filter(({ distance }) => distance <= max)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, SUGGESTED)
    .map((coin) => coin.id);
}

/** Changes tokens for the operator, with audit events. Throws `UpstreamFailure`, `token_rejected`, `not_found`. */
export function createListing({ coinGecko, coins, exchanges, store, catalogue, clock }: Dependencies) {
  const notServed = (name: string, detail = 'No token with this ID is served.') =>
    unknown(
      detail,
      catalogue.nearest(name).map((token) => token.name),
    );

  function source(): CoinSource {
    if (coinGecko) return coinGecko;
    throw rejected('CoinGecko is not a source of this service. Add it to MARKET_SOURCES, or use `quotient tokens`.');
  }

  return {
    /** The names of the exchanges whose pairs can be set. */
    exchanges: exchanges.map(({ name }) => name),

    /** Adds a token by its CoinGecko id, or updates a served token. */
    async add(operator: Operator, wanted: Wanted): Promise<Added> {
      const { id } = wanted;
      assertAdded(id);
      await catalogue.sync();
      const listedToken = catalogue.named(id);
      // Users' requests do not use up the operator's places.
      const ofOperator = catalogue.all().filter(({ isRequested }) => !isRequested);
      if (!listedToken && ofOperator.length >= MAX_SERVED)
        throw rejected(`The service already has the maximum of ${MAX_SERVED} tokens. Remove a token first.`);
      // A symbol that is in use must keep its meaning.
      const namesake = catalogue.findItself(id);
      if (namesake && namesake.name !== id)
        throw rejected(`This ID is the symbol of ${namesake.name}. Clients use it to request ${namesake.name}.`);
      const configured = source();
      const { firstDate, pairsFor } = createCoinFacts({ coinGecko: configured, exchanges, catalogue, clock });
      const coin = isTokenId(id) ? await configured.coin(id) : undefined;
      if (!coin || coin.id !== id) throw unknown('CoinGecko has no coin with this ID.', await nearestIds(coins, id));
      const symbol = wanted.symbol ?? coin.symbol;
      if (!isTokenSymbol(symbol))
        throw rejected('The symbol contains spaces, commas or control characters. Set another symbol.');
      const { listed, isFirstDate } = await firstDate(coin);
      const { pairs, outcomes } = await pairsFor(coin, wanted.pairs);
      const begins = coin.genesis !== undefined && coin.genesis <= listed ? coin.genesis : isoDate(FIRST_BLOCK);
      const token: Token = { name: id, symbol, title: coin.title, begins, listed, statistics: false, pairs };
      await store.add(token, operator);
      await catalogue.sync();
      const isCalledSo = (one: Token) => one.name !== id && (one.symbol === symbol || one.name === symbol);
      const shared = catalogue.all().filter(isCalledSo);
      const meant = catalogue.find(symbol) ?? token;
      return { token, isKnown: listedToken !== undefined, isFirstDate, pairs: outcomes, shared, meant };
    },

    async remove(operator: Operator, name: string): Promise<void> {
      assertAdded(name);
      if (!(await store.remove(name, clock.now(), operator))) throw notServed(name);
      await catalogue.sync();
    },

    /** Sets the successor of a token, or removes it if `successor` is undefined. */
    async alias(operator: Operator, name: string, successor: string | undefined): Promise<void> {
      assertAdded(name);
      await catalogue.sync();
      if (!catalogue.named(name)) throw notServed(name);
      if (successor !== undefined && !catalogue.named(successor))
        throw notServed(successor, 'No token with the ID of the successor is served.');
      if (successor !== undefined && (successor === name || catalogue.find(successor)?.name === name))
        throw rejected(`Requests for the successor already return the data of ${name}. Remove that alias first.`);
      await store.setSuccessor(name, successor ?? null, operator);
      await catalogue.sync();
    },

    async find(text: string): Promise<NamedCoin[]> {
      source();
      return coins.find(text);
    },
  };
}

export type Listing = ReturnType<typeof createListing>;
