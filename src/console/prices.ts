import type { LatestPrice, PriceSeries, Token } from '../client/index.ts';
import { tellAge } from './age.ts';
import type { TokenName } from './call.ts';
import { changeSinceYesterday } from './change.ts';
import { byId, make } from './dom.ts';
import { bigMoney, change, money, NOTHING } from './format.ts';
import type { Market } from './market.ts';
import type { OnError } from './problem.ts';
import { oldest, type Shown } from './shown.ts';
import { spark } from './spark.ts';
import { titleOf } from './titles.ts';

type Row = { element: HTMLTableRowElement; button: HTMLButtonElement; cells: HTMLTableCellElement[] };
type Parts = {
  market: Market;
  onSelect: (token: TokenName) => void;
  onError: OnError;
};

/** For the change two days of hours are asked for, one call for each token, and shown beside it. */
const DAYS = 2;

/** The table of latest prices, in which a token is chosen. */
export function openPrices({ market, onSelect, onError }: Parts) {
  const panel = byId('prices');
  const problem = byId('prices-problem');
  const tell = tellAge(byId('prices-age'));
  let tokens: readonly Token[] = [];
  const rows = new Map<TokenName, Row>();

  function rowOf({ tokenName, symbol }: Token): Row {
    const name = make('span', { class: 'name' }, titleOf(tokenName));
    const button = make(
      'button',
      { type: 'button', class: 'token' },
      name,
      make('span', { class: 'symbol' }, symbol),
    );
    const kinds = ['num price', 'num', 'trend', 'num wide', 'num widest'];
    const cells = kinds.map((kind) =>
      make('td', { class: kind }, make('span', { class: 'waiting' }, '\u2007')),
    );
    const element = make('tr', {}, make('th', { scope: 'row' }, button), ...cells);
    element.addEventListener('click', () => onSelect(tokenName));
    return { element, button, cells };
  }

  function fill({ cells }: Row, price: Shown<LatestPrice>, hours: Shown<PriceSeries> | undefined): void {
    const { current_price, market_cap, total_volume } = price.value;
    const points = hours?.value.prices ?? [];
    const since = changeSinceYesterday(current_price, points, price.fetchedAt?.getTime() ?? Date.now());
    const [now, moved, trend, cap, volume] = cells;
    now?.replaceChildren(money(current_price));
    moved?.replaceChildren(since === undefined ? NOTHING : change(since));
    moved?.classList.toggle('up', (since ?? 0) > 0);
    moved?.classList.toggle('down', (since ?? 0) < 0);
    trend?.replaceChildren(...(points.length > 1 ? [spark(points)] : [NOTHING]));
    cap?.replaceChildren(market_cap === null ? NOTHING : bigMoney(market_cap));
    volume?.replaceChildren(total_volume === null ? NOTHING : bigMoney(total_volume));
  }

  async function load(token: TokenName, again: boolean): Promise<Shown<LatestPrice>> {
    const hoursAsked = market.ask({ kind: 'days', token, days: DAYS }, { again }).catch((error: unknown) => {
      onError(error, problem, () => void loadAll());
      return undefined;
    });
    const [price, hours] = await Promise.all([market.ask({ kind: 'latest', token }, { again }), hoursAsked]);
    const row = rows.get(token);
    if (row) fill(row, price, hours);
    return price;
  }

  async function loadAll({ again = false } = {}): Promise<void> {
    panel.setAttribute('aria-busy', 'true');
    problem.replaceChildren();
    const asked = await Promise.allSettled(tokens.map(({ tokenName }) => load(tokenName, again)));
    const failed = asked.find((one) => one.status === 'rejected');
    asked.forEach((one, i) => {
      const cells =
        one.status === 'rejected' ? rows.get(tokens[i]?.tokenName as TokenName)?.cells : undefined;
      for (const waiting of cells ?? [])
        if (waiting.querySelector('.waiting')) waiting.replaceChildren(NOTHING);
    });
    if (failed) onError(failed.reason, problem, () => void loadAll());
    const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    tell(answers.length > 0 ? oldest(answers) : undefined);
    panel.setAttribute('aria-busy', 'false');
  }

  return {
    setTokens(given: readonly Token[]): void {
      tokens = given;
      rows.clear();
      for (const token of tokens) rows.set(token.tokenName, rowOf(token));
      byId('quotes').replaceChildren(...[...rows.values()].map(({ element }) => element));
    },

    select(chosen: TokenName): void {
      for (const [token, { element, button }] of rows) {
        element.classList.toggle('chosen', token === chosen);
        button.setAttribute('aria-pressed', String(token === chosen));
      }
    },

    load: loadAll,
  };
}
