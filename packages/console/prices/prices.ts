import type { Token, TokenPrice } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { count, inCalls } from '../../pages/format.ts';
import { openStored } from '../../pages/session/storage.ts';
import { batchesOf, costOf, TOKENS_PER_CALL, type TokenName } from '../api/api-call.ts';
import { openDataAge } from '../api/figures.ts';
import type { Context } from '../context.ts';
import { makePriceRow, type PriceRow, placeholderRow } from './price-row.ts';
import { createQuotes, isBehind, type Quote } from './quotes.ts';
import { isMatch, openTableHead, SEARCHED_FROM, sorted } from './table-head.ts';

type Events = { onSelect: (token: TokenName) => void; onLoad: () => void };

/** The maximum number of tokens that each further load adds. The first load has as many tokens as one call covers. */
const STEP = 100;
/** The numbers of placeholder rows. At the first visit, there is one row for each built-in token. */
const PLACEHOLDERS = { atFirst: 5, most: 10 };

export function openPrices({ marketData, currency, onError }: Context, { onSelect, onLoad }: Events) {
  const panel = byId('prices');
  const body = byId('prices-body');
  const problem = byId('prices-problem');
  const search = byId('search', HTMLInputElement);
  const more = byId('more');
  const showAge = openDataAge(byId('prices-age'));
  const quotes = createQuotes(marketData);
  /** The number of tokens at the last visit. */
  const lastSize = openStored('localStorage', 'quotient:tokens');
  const head = openTableHead(() => {
    byId('prices-scroll').scrollTop = 0;
    show();
  });
  const rows = new Map<TokenName, PriceRow>();
  let tokens: readonly Token[] = [];
  let selected: TokenName | undefined;
  let loading: Promise<unknown> = Promise.resolve();
  let pendingLoads = 0;

  const isSearching = () => search.value.trim() !== '';
  const found = () => (isSearching() ? tokens.filter((token) => isMatch(token, search.value)) : tokens);
  const namesOf = (list: readonly Token[]) => list.map(({ tokenName }) => tokenName);

  const following = () =>
    found()
      .filter(({ tokenName }) => !quotes.requested.has(tokenName))
      .slice(0, STEP);

  /** The first call covers the selected token and the first tokens of the catalogue. */
  function firstNames(): TokenName[] {
    const first = namesOf(tokens).slice(0, TOKENS_PER_CALL);
    if (selected === undefined || first.includes(selected)) return first;
    return [selected, ...first.slice(0, -1)];
  }

  const showPlaceholders = (tokens: number) =>
    body.replaceChildren(...Array.from({ length: Math.min(tokens, PLACEHOLDERS.most) }, placeholderRow));

  /** Takes as much space as the table will take, so that the panels below stay in place while the page loads. */
  function showOutline(): void {
    const size = Number(lastSize.read()) || PLACEHOLDERS.atFirst;
    showPlaceholders(size);
    offerSearch(size);
    more.hidden = size <= PLACEHOLDERS.most;
    more.textContent = 'Show more';
  }

  function fill(token: TokenName, row: PriceRow, newest: number): void {
    const quote = quotes.of(token);
    row.fill(quote, quote !== undefined && isBehind(quote, newest));
  }

  /** Returns the row of a token, and creates it when it is first shown. `newest` is in Unix ms. */
  function rowOf(token: Token, newest: number): PriceRow {
    const { tokenName } = token;
    const shownRow = rows.get(tokenName);
    if (shownRow) return shownRow;
    const row = makePriceRow(token, () => onSelect(tokenName));
    row.select(tokenName === selected);
    fill(tokenName, row, newest);
    rows.set(tokenName, row);
    return row;
  }

  function place(elements: readonly HTMLElement[]): void {
    if (elements.length === body.children.length && elements.every((one, i) => one === body.children[i])) return;
    const focused = document.activeElement;
    body.replaceChildren(...elements);
    if (focused instanceof HTMLElement && body.contains(focused)) focused.focus();
  }

  /** Search results also include tokens whose prices are not loaded. */
  function show(): void {
    const all = found();
    const loaded = all
      .filter(({ tokenName }) => quotes.requested.has(tokenName))
      .map((token) => ({ token, price: quotes.of(token.tokenName)?.price }));
    const next = following();
    const others = isSearching() ? next : [];
    const listed = [...sorted(loaded, head.sorting()).map(({ token }) => token), ...others];
    const { newest } = quotes.age;
    place(listed.map((token) => rowOf(token, newest).element));
    showSize(all.length, listed.length, next.length);
  }

  function offerSearch(size: number): void {
    byId('prices-search').hidden = size < SEARCHED_FROM;
    search.placeholder = `Search ${count(size)} tokens`;
  }

  function showSize(foundTokens: number, listed: number, next: number): void {
    const all = `${count(tokens.length)} tokens`;
    byId('prices-size').textContent = isSearching()
      ? foundTokens === 0
        ? `No token matches “${search.value.trim()}”.`
        : `${count(foundTokens)} of ${all} ${foundTokens === 1 ? 'matches' : 'match'}.`
      : listed < tokens.length
        ? `${count(listed)} of ${all}.`
        : '';
    more.hidden = next === 0;
    more.textContent = `${isSearching() ? 'Load prices of' : 'Show'} ${count(next)} more: ${inCalls(costOf(next))}`;
  }

  function load(names: readonly TokenName[], refresh = false): Promise<void> {
    pendingLoads += 1;
    panel.setAttribute('aria-busy', 'true');
    const ownLoad = quotes
      .load(names, currency.code, refresh)
      .then(
        () => problem.replaceChildren(),
        (error: unknown) => onError(error, problem, () => load([...quotes.requested]), quotes.age.age !== undefined),
      )
      .finally(() => {
        pendingLoads -= 1;
        const { age, newest } = quotes.age;
        for (const [token, row] of rows) fill(token, row, newest);
        showAge(age);
        show();
        onLoad();
        if (pendingLoads === 0) panel.setAttribute('aria-busy', 'false');
      });
    loading = Promise.all([loading, ownLoad]);
    return ownLoad;
  }

  showOutline();
  search.addEventListener('input', show);
  more.addEventListener('click', () => {
    const next = following();
    if (pendingLoads === 0 && next.length > 0) void load(namesOf(next));
  });

  return {
    cost: () => costOf(quotes.requested.size),

    setTokens(next: readonly Token[]): void {
      tokens = next;
      rows.clear();
      const served = new Set(namesOf(tokens));
      quotes.keep((token) => served.has(token));
      panel.setAttribute('aria-busy', String(tokens.length > 0));
      offerSearch(tokens.length);
      if (tokens.length > 0) lastSize.write(String(tokens.length));
      if (quotes.requested.size > 0) show();
      else showPlaceholders(tokens.length);
    },

    /** Reloads the loaded prices. The first load has as many tokens as one call covers. */
    load({ refresh = false } = {}): Promise<void> {
      return load(quotes.requested.size > 0 ? [...quotes.requested] : firstNames(), refresh);
    },

    /** Resolves to the token's price when it is loaded, or to undefined if no price is available. */
    async of(token: TokenName): Promise<Quote | undefined> {
      if (quotes.requested.has(token)) await loading;
      else await load([token]);
      return quotes.of(token);
    },

    /** The tokens whose prices are loaded. */
    shown: (): readonly TokenName[] => [...quotes.requested],

    /** Shows a price that has arrived. Rows keep their order, so that they do not move under the pointer. */
    update(price: TokenPrice): void {
      const direction = quotes.update(price);
      const row = rows.get(price.tokenName);
      const { age, newest } = quotes.age;
      showAge(age);
      if (!row) return;
      fill(price.tokenName, row, newest);
      if (direction) row.mark(direction);
    },

    batchOf(token: TokenName): readonly TokenName[] {
      return batchesOf([...quotes.requested]).find((batch) => batch.includes(token)) ?? [token];
    },

    select(token: TokenName): void {
      selected = token;
      for (const [name, row] of rows) row.select(name === token);
    },
  };
}
