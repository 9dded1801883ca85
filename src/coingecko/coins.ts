import type { Catalogue } from '#catalogue/catalogue';
import type { CoinList } from '#catalogue/coin-list';
import type { RequestedTokens } from '#catalogue/requested-tokens';
import { comparedAddress, type Token } from '#catalogue/token';
import { withToken } from '#prices/successors';
import type { DataResponse } from '#server/responses/response-body';
import { coinNotFound } from './parameters.ts';

/** A token under the name by which a response lists it. */
export type NamedCoin = { key: string; token: Token };

type Dependencies = {
  catalogue: Catalogue;
  coins: Pick<CoinList, 'at'>;
  requestedTokens: RequestedTokens;
};

/** The lists that a request can contain. Only the first list that is present is used, in this order. */
type Selection = { ids: readonly string[]; names: readonly string[]; symbols: readonly string[]; all: boolean };

/** Finds tokens as CoinGecko's API names them. */
export function createCoins({ catalogue, coins, requestedTokens }: Dependencies) {
  /** The served token with an ID, or its successor. Symbols are no IDs. */
  function withId(id: string): Token | undefined {
    const token = catalogue.named(id);
    return token && (catalogue.successorOf(id) ?? token);
  }

  const listed = (id: string, key = id): NamedCoin[] => {
    const token = withId(id);
    return token ? [{ key, token }] : [];
  };

  function withSymbols(symbols: readonly string[], all: boolean): NamedCoin[] {
    const wanted = new Set(symbols);
    const tokens = catalogue.all().filter(({ symbol, isRequested }) => wanted.has(symbol) && !isRequested);
    // Several coins with one symbol need different keys.
    return tokens.map((token) => ({ key: all ? token.name : token.symbol, token }));
  }

  function replaced(ids: readonly string[]): string | undefined {
    if (!catalogue.hasSuccessors()) return undefined;
    const names = ids.map((id) => id.trim().toLowerCase());
    const tokens = names.flatMap((name) => (catalogue.named(name) ? (catalogue.successorOf(name)?.name ?? []) : []));
    return tokens.length > 0 ? [...new Set(tokens)].join(', ') : undefined;
  }

  return {
    /** Adds the unknown tokens among some IDs for a user, if the operator allows it. */
    ensure: requestedTokens.ensure,

    /** The coins that a request selects. A symbol without `all` selects every coin with that symbol, under one key. */
    select({ ids, names, symbols, all }: Selection): NamedCoin[] {
      if (ids.length > 0) return ids.flatMap((id) => listed(id));
      if (names.length > 0) {
        const wanted = new Set(names);
        return catalogue.all().flatMap((token) => (wanted.has(token.title.toLowerCase()) ? listed(token.name) : []));
      }
      return withSymbols(symbols, all);
    },

    /** The coins with some contract addresses on a platform, by address. Adds unknown tokens for a user. */
    async withAddresses(user: number, platform: string, addresses: readonly string[]): Promise<NamedCoin[]> {
      const found = await coins.at(platform.toLowerCase(), addresses);
      await requestedTokens.ensure(user, [...found.values()]);
      return [...found].flatMap(([address, id]) => listed(id, address));
    },

    /** The coin with an ID. Adds an unknown token for a user. Throws `not_found`. */
    async find(user: number, id: string): Promise<Token> {
      const name = id.trim().toLowerCase();
      await requestedTokens.ensure(user, [name]);
      const token = withId(name);
      if (!token) throw coinNotFound();
      return token;
    },

    /** The coin with a contract address. Throws `not_found`. */
    async withAddress(user: number, platform: string, address: string): Promise<{ token: Token; address: string }> {
      const [found] = await this.withAddresses(user, platform, [address]);
      if (!found) throw coinNotFound();
      return { token: found.token, address: comparedAddress(address) };
    },

    /** Adds `Quotient-Token` to a response. */
    noted(response: DataResponse, names: readonly string[]): DataResponse {
      const token = replaced(names);
      return token === undefined ? response : withToken(response, token);
    },
  };
}

export type Coins = ReturnType<typeof createCoins>;
