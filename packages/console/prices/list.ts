import { computed, signal } from '@preact/signals';
import type { Token } from '../../client/index.ts';
import { count, inCalls } from '../../pages/format.ts';
import { openStored } from '../../pages/session/storage.ts';
import { batchesOf, costOf, TOKENS_PER_CALL, type TokenName } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Currency } from '../core/currency.ts';
import type { PanelFailure } from '../core/failures.tsx';
import { createQuotes } from './quotes.ts';
import { type Column, FIRST_SORTING, isMatch, SEARCHED_FROM, type Sorting, sorted, sortingAfter } from './sorting.ts';

type Needs = {
  marketData: Pick<MarketData, 'fetch'>;
  currency: Pick<Currency, 'code'>;
  failure: PanelFailure;
  onLoad: () => void;
};
type Quotes = ReturnType<typeof createQuotes>;
type Listing = ReturnType<typeof listingOf>;

/** The numbers of placeholder rows. At the first visit, there is one row for each built-in token. */
const PLACEHOLDERS = { atFirst: 5, most: 10 };
/** The maximum number of found tokens without a price. A longer list would delay each key press. */
const MAX_FOUND = 20;

const namesOf = (list: readonly Token[]) => list.map(({ tokenName }) => tokenName);

function listingOf(quotes: Quotes, tokens: readonly Token[], searched: string, sorting: Sorting) {
  const found = searched === '' ? tokens : tokens.filter((token) => isMatch(token, searched));
  const requested = quotes.requested.peek();
  const priced = found.filter(({ tokenName }) => requested.has(tokenName));
  const others = found.filter(({ tokenName }) => !requested.has(tokenName));
  const rows = priced.map((token) => ({ token, price: quotes.peek(token.tokenName)?.price }));
  const ordered = sorted(rows, sorting).map(({ token }) => token);
  // Search results also include tokens whose prices are not loaded.
  const shown = searched === '' ? ordered : [...ordered, ...others.slice(0, MAX_FOUND)];
  return { shown, found: found.length, next: others.slice(0, TOKENS_PER_CALL) };
}

/** What the table shows of all tokens, in words. */
function summaryOf({ shown, found }: Listing, placeholders: number, size: number, searched: string): string {
  const rows = placeholders || shown.length;
  const all = `${count(size)} tokens`;
  if (searched === '') return rows < size ? `${count(rows)} of ${all}.` : '';
  if (found === 0) return `No token matches “${searched}”.`;
  return `${count(found)} of ${all} ${found === 1 ? 'matches' : 'match'}.`;
}

/** The label of the button that loads more prices, or an empty text. */
function moreOf({ next }: Listing, placeholders: number, size: number, searched: string): string {
  const rest = placeholders > 0 ? size - placeholders : next.length;
  const loaded = Math.min(rest, TOKENS_PER_CALL);
  const action = searched === '' ? 'Show' : 'Load prices of';
  return loaded === 0 ? '' : `${action} ${count(loaded)} more: ${inCalls(costOf(loaded))}`;
}

/** The tokens, their prices, and the rows of the table. */
export function openPriceList({ marketData, currency, failure, onLoad }: Needs) {
  const quotes = createQuotes(marketData);
  /** The number of tokens at the last visit. */
  const lastSize = openStored('localStorage', 'quotient:tokens');
  const tokens = signal<readonly Token[] | undefined>(undefined);
  const search = signal('');
  const sorting = signal(FIRST_SORTING);
  const selected = signal<TokenName | undefined>(undefined);
  const isReading = signal(true);
  const pendingLoads = signal(0);
  /** The rows move only after a load. A price that arrives does not move its row under the pointer. */
  const loads = signal(0);

  const size = computed(() => tokens.value?.length ?? (Number(lastSize.read()) || PLACEHOLDERS.atFirst));
  const searched = computed(() => search.value.trim());
  const listing = computed(() => {
    void loads.value;
    return listingOf(quotes, tokens.value ?? [], searched.value, sorting.value);
  });
  /** Rows that reserve the space of the table, so that the panels below stay in place while the page loads. */
  const placeholders = computed(() => (loads.value > 0 ? 0 : Math.min(size.value, PLACEHOLDERS.most)));
  const summary = computed(() => summaryOf(listing.value, placeholders.value, size.value, searched.value));
  const more = computed(() => moreOf(listing.value, placeholders.value, size.value, searched.value));

  /** The first call covers the selected token and the first tokens of the catalogue. */
  function firstNames(): TokenName[] {
    const first = namesOf(tokens.value ?? []).slice(0, TOKENS_PER_CALL);
    if (selected.value === undefined || first.includes(selected.value)) return first;
    return [selected.value, ...first.slice(0, -1)];
  }

  const allRequested = () => [...quotes.requested.value];

  function loadNames(names: readonly TokenName[], refresh = false): Promise<void> {
    pendingLoads.value += 1;
    return quotes
      .load(names, currency.code, refresh)
      .then(failure.clear, (error: unknown) =>
        failure.report(error, () => loadNames(allRequested()), quotes.age.value !== undefined),
      )
      .finally(() => {
        pendingLoads.value -= 1;
        loads.value += 1;
        onLoad();
      });
  }

  return {
    quotes,
    tokens,
    search,
    sorting,
    selected,
    listing,
    placeholders,
    summary,
    more,
    size,
    isSearchable: computed(() => size.value >= SEARCHED_FROM),
    isReading,
    isBusy: computed(() => isReading.value || pendingLoads.value > 0),
    cost: computed(() => costOf(quotes.requested.value.size)),

    setTokens(next: readonly Token[]): void {
      const served = new Set(namesOf(next));
      quotes.keep((token) => served.has(token));
      tokens.value = next;
      if (next.length > 0) lastSize.write(String(next.length));
    },

    sortBy(column: Column): void {
      sorting.value = sortingAfter(sorting.value, column);
    },

    /** Reloads the loaded prices. The first load has as many tokens as one call covers. */
    load({ refresh = false } = {}): Promise<void> {
      const names = allRequested();
      return loadNames(names.length > 0 ? names : firstNames(), refresh);
    },

    loadMore(): void {
      const { next } = listing.value;
      if (pendingLoads.value === 0 && next.length > 0) void loadNames(namesOf(next));
    },

    /** Loads the token's price, unless it has been requested. */
    async ensure(token: TokenName): Promise<void> {
      if (!quotes.requested.value.has(token)) await loadNames([token]);
    },

    batchOf: (token: TokenName): readonly TokenName[] =>
      batchesOf(allRequested()).find((batch) => batch.includes(token)) ?? [token],
  };
}

export type PriceList = ReturnType<typeof openPriceList>;
