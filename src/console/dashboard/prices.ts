import type { LatestPrice, PriceSeries, Token } from '../../client/index.ts';
import { daysCall, latestCall, type TokenName } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import { oldest, type Result } from '../api/result.ts';
import { byId, make, placeholder } from '../dom.ts';
import { bigMoney, change, money, UNKNOWN } from '../format.ts';
import type { OnError } from '../problem.ts';
import { openDataAge } from './data-age.ts';
import { change24h } from './price-change.ts';
import { sparkline } from './sparkline.ts';
import { titleOf } from './token-titles.ts';

type Row = { element: HTMLTableRowElement; button: HTMLButtonElement; cells: HTMLTableCellElement[] };
type Options = { marketData: MarketData; onSelect: (token: TokenName) => void; onError: OnError };

/** The change and the sparkline need the last two days: one more call for each token. */
const DAYS = 2;

const CELL_CLASSES = ['num price', 'num', 'trend', 'num wide', 'num widest'];

/** The table of latest prices, in which a token is selected. */
export function openPrices({ marketData, onSelect, onError }: Options) {
  const panel = byId('prices');
  const problem = byId('prices-problem');
  const showAge = openDataAge(byId('prices-age'));
  const rows = new Map<TokenName, Row>();

  function makeRow({ tokenName, symbol }: Token): Row {
    const name = make('span', { class: 'name' }, titleOf(tokenName));
    const unit = make('span', { class: 'symbol' }, symbol);
    const button = make('button', { type: 'button', class: 'token' }, name, unit);
    const cells = CELL_CLASSES.map((kind) => make('td', { class: kind }, placeholder()));
    const element = make('tr', {}, make('th', { scope: 'row' }, button), ...cells);
    element.addEventListener('click', () => onSelect(tokenName));
    return { element, button, cells };
  }

  function fillRow({ cells }: Row, price: Result<LatestPrice>, points: PriceSeries['prices']): void {
    const { current_price, market_cap, total_volume } = price.value;
    const fraction = change24h(current_price, points, price.fetchedAt?.getTime() ?? Date.now());
    const [priceCell, changeCell, trendCell, capCell, volumeCell] = cells;
    priceCell?.replaceChildren(money(current_price));
    changeCell?.replaceChildren(fraction === undefined ? UNKNOWN : change(fraction));
    changeCell?.classList.toggle('up', (fraction ?? 0) > 0);
    changeCell?.classList.toggle('down', (fraction ?? 0) < 0);
    trendCell?.replaceChildren(points.length > 1 ? sparkline(points) : UNKNOWN);
    capCell?.replaceChildren(market_cap === null ? UNKNOWN : bigMoney(market_cap));
    volumeCell?.replaceChildren(total_volume === null ? UNKNOWN : bigMoney(total_volume));
  }

  async function loadRow(token: TokenName, row: Row, refresh: boolean): Promise<Result<LatestPrice>> {
    const history = marketData.fetch(daysCall(token, DAYS), { refresh }).then(
      ({ value }) => value.prices,
      (error: unknown) => {
        onError(error, problem, () => void load());
        return [];
      },
    );
    try {
      const latest = marketData.fetch(latestCall(token), { refresh });
      const [price, points] = await Promise.all([latest, history]);
      fillRow(row, price, points);
      return price;
    } catch (error) {
      for (const cell of row.cells) if (cell.querySelector('.placeholder')) cell.replaceChildren(UNKNOWN);
      throw error;
    }
  }

  async function load({ refresh = false } = {}): Promise<void> {
    panel.setAttribute('aria-busy', 'true');
    problem.replaceChildren();
    const loads = await Promise.allSettled([...rows].map(([token, row]) => loadRow(token, row, refresh)));
    const failed = loads.find((one) => one.status === 'rejected');
    if (failed) onError(failed.reason, problem, () => void load());
    const prices = loads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    showAge(prices.length > 0 ? oldest(prices) : undefined);
    panel.setAttribute('aria-busy', 'false');
  }

  return {
    load,

    setTokens(tokens: readonly Token[]): void {
      rows.clear();
      for (const token of tokens) rows.set(token.tokenName, makeRow(token));
      byId('prices-body').replaceChildren(...[...rows.values()].map(({ element }) => element));
    },

    select(selected: TokenName): void {
      for (const [token, { element, button }] of rows) {
        element.classList.toggle('selected', token === selected);
        button.setAttribute('aria-pressed', String(token === selected));
      }
    },
  };
}
