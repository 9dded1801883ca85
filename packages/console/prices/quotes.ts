import type { QuotientError, TokenPrice } from '../../client/index.ts';
import { toError } from '../../pages/problem.ts';
import {
  batchesOf,
  type DataAge,
  FRESH_MS,
  latestPricesCall,
  oldest,
  type Result,
  type TokenName,
} from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';

export type Quote = { price: TokenPrice; currency: string; age: DataAge };

/** A price has the age of the response, or its own age if the prices' times differ by more than `FRESH_MS`. */
function quotesOf({ value, fetchedAt, stale }: Result<TokenPrice[]>, currency: string): Quote[] {
  const times = value.flatMap(({ at }) => (at ? [at.getTime()] : []));
  const isOfOneTime = Math.max(...times) - Math.min(...times) <= FRESH_MS;
  return value.map((price) => ({
    price,
    currency,
    age: { fetchedAt: isOfOneTime ? fetchedAt : (price.at ?? undefined), stale },
  }));
}

export const isBehind = ({ age }: Quote, newest: number): boolean =>
  age.fetchedAt !== undefined && age.fetchedAt.getTime() < newest - FRESH_MS;

/** Loads the latest prices of the requested tokens, with one request for every hundred tokens. */
export function createQuotes(marketData: Pick<MarketData, 'fetch'>) {
  const requested = new Set<TokenName>();
  const quotesByToken = new Map<TokenName, Quote>();
  let wanted = 'usd';

  /** Keeps known prices, and adds the reason why they could not be updated. */
  function markOld(tokens: readonly TokenName[], failure: QuotientError): void {
    for (const token of tokens) {
      const quote = quotesByToken.get(token);
      if (quote) quotesByToken.set(token, { ...quote, age: { ...quote.age, failure } });
    }
  }

  return {
    requested: requested as ReadonlySet<TokenName>,
    of: (token: TokenName): Quote | undefined => quotesByToken.get(token),

    /** The age of the prices that are up to date, and the time of the newest price (Unix ms). */
    get age(): { age: DataAge | undefined; newest: number } {
      const quotes = [...quotesByToken.values()];
      const newest = Math.max(...quotes.map(({ age }) => age.fetchedAt?.getTime() ?? 0));
      const upToDate = quotes.filter((quote) => !isBehind(quote, newest));
      return { age: upToDate.length > 0 ? oldest(upToDate.map(({ age }) => age)) : undefined, newest };
    },

    /** Rejects with the first failure after all calls have ended. */
    async load(tokens: readonly TokenName[], currency: string, refresh: boolean): Promise<void> {
      wanted = currency;
      for (const token of tokens) requested.add(token);
      const loads = batchesOf(tokens).map(async (names) => {
        try {
          const result = await marketData.fetch(latestPricesCall(names, currency), { refresh });
          if (wanted !== currency) return;
          for (const quote of quotesOf(result, currency)) quotesByToken.set(quote.price.tokenName, quote);
          if (result.failure) throw result.failure;
        } catch (error) {
          markOld(names, toError(error));
          throw error;
        }
      });
      const failed = (await Promise.allSettled(loads)).find(({ status }) => status === 'rejected');
      if (wanted !== currency) return;
      // Prices in different currencies cannot be sorted together.
      for (const [token, quote] of quotesByToken) if (quote.currency !== currency) quotesByToken.delete(token);
      if (failed?.status === 'rejected') throw failed.reason;
    },

    /** Replaces the price of a requested token, as it arrives. Returns the direction of the change. */
    update(price: TokenPrice): 'rose' | 'fell' | undefined {
      const { tokenName, current_price: next, at } = price;
      if (!requested.has(tokenName)) return undefined;
      const before = quotesByToken.get(tokenName)?.price.current_price;
      quotesByToken.set(tokenName, { price, currency: wanted, age: { fetchedAt: at ?? undefined, stale: undefined } });
      if (next === null || before === null || before === undefined || next === before) return undefined;
      return next > before ? 'rose' : 'fell';
    },

    keep(isServed: (token: TokenName) => boolean): void {
      for (const token of requested) if (!isServed(token)) requested.delete(token);
      for (const token of quotesByToken.keys()) if (!isServed(token)) quotesByToken.delete(token);
    },
  };
}
