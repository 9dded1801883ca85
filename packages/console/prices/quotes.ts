import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
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

type Move = { direction: 'rose' | 'fell'; at: number };
/** `move` is the change of a price that arrived, by `performance.now()`. */
export type Quote = { price: TokenPrice; currency: string; age: DataAge; move?: Move | undefined };

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

function moveOf(before: number | null | undefined, next: number | null): Move | undefined {
  if (next === null || before === null || before === undefined || next === before) return undefined;
  return { direction: next > before ? 'rose' : 'fell', at: performance.now() };
}

/** Loads the latest prices of the requested tokens, with one request for every hundred tokens. */
export function createQuotes(marketData: Pick<MarketData, 'fetch'>) {
  const requested = signal<ReadonlySet<TokenName>>(new Set());
  /** One signal for each token, so that a new price renders only its own row. */
  const quotes = new Map<TokenName, Signal<Quote | undefined>>();
  let wanted = 'usd';

  function quoteOf(token: TokenName): Signal<Quote | undefined> {
    const quote = quotes.get(token) ?? signal<Quote | undefined>(undefined);
    quotes.set(token, quote);
    return quote;
  }
  const known = () => [...requested.value].flatMap((token) => quoteOf(token).value ?? []);
  const newest = computed(() => Math.max(...known().map(({ age }) => age.fetchedAt?.getTime() ?? 0)));

  /** Keeps known prices, and adds the reason why they could not be updated. */
  function markOld(tokens: readonly TokenName[], failure: QuotientError): void {
    for (const token of tokens) {
      const quote = quoteOf(token);
      if (quote.value) quote.value = { ...quote.value, age: { ...quote.value.age, failure } };
    }
  }

  return {
    requested: requested as ReadonlySignal<ReadonlySet<TokenName>>,
    of: (token: TokenName): Quote | undefined => quoteOf(token).value,
    peek: (token: TokenName): Quote | undefined => quoteOf(token).peek(),
    /** The time of the newest price, in Unix ms. */
    newest,
    /** The age of the prices that are up to date. */
    age: computed((): DataAge | undefined => {
      const upToDate = known().filter((quote) => !isBehind(quote, newest.value));
      return upToDate.length > 0 ? oldest(upToDate.map(({ age }) => age)) : undefined;
    }),

    /** Rejects with the first failure after all calls have ended. */
    async load(tokens: readonly TokenName[], currency: string, refresh: boolean): Promise<void> {
      wanted = currency;
      requested.value = new Set([...requested.value, ...tokens]);
      const loads = batchesOf(tokens).map(async (names) => {
        try {
          const result = await marketData.fetch(latestPricesCall(names, currency), { refresh });
          if (wanted !== currency) return;
          batch(() => {
            for (const quote of quotesOf(result, currency)) quoteOf(quote.price.tokenName).value = quote;
          });
          if (result.failure) throw result.failure;
        } catch (error) {
          batch(() => markOld(names, toError(error)));
          throw error;
        }
      });
      const failed = (await Promise.allSettled(loads)).find(({ status }) => status === 'rejected');
      if (wanted !== currency) return;
      // Prices in different currencies cannot be sorted together.
      for (const quote of quotes.values()) if (quote.value?.currency !== currency) quote.value = undefined;
      if (failed?.status === 'rejected') throw failed.reason;
    },

    /** Replaces the price of a requested token, as it arrives. Keeps its line of earlier prices. */
    update(price: TokenPrice): void {
      if (!requested.value.has(price.tokenName)) return;
      const quote = quoteOf(price.tokenName);
      const age = { fetchedAt: price.at ?? undefined, stale: undefined };
      const move = moveOf(quote.value?.price.current_price, price.current_price);
      const sparkline_24h = quote.value?.price.sparkline_24h;
      quote.value = { price: { ...price, sparkline_24h }, currency: wanted, age, move };
    },

    keep(isServed: (token: TokenName) => boolean): void {
      requested.value = new Set([...requested.value].filter(isServed));
      for (const [token, quote] of quotes) if (!isServed(token)) quote.value = undefined;
    },
  };
}
