import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId, make, placeholder } from '../../pages/dom.ts';
import { at, change, count, onDate, orUnknown, UNKNOWN } from '../../pages/format.ts';
import { makeNamedRow } from '../../pages/table.ts';
import { type Entry, fillList, openDataAge, showPlaceholders } from '../api/figures.ts';
import { bigMoney, money } from '../core/currency.ts';
import type { Quote } from './quotes.ts';

/** How long a changed price is marked, in ms. */
const MARKED_MS = 1500;
const CELL_CLASSES = ['num price', 'num change', 'num', 'num'];

export const placeholderRow = () =>
  makeNamedRow(placeholder(), ...CELL_CLASSES.map((kind) => [placeholder(), kind] as const));

export function makePriceRow({ title, symbol }: Token, onSelect: () => void) {
  const name = make('span', { class: 'name' }, title);
  const unit = make('span', { class: 'symbol' }, symbol);
  const button = make('button', { type: 'button', class: 'token' }, name, unit);
  const element = makeNamedRow(button, ...CELL_CLASSES.map((kind) => [UNKNOWN, kind] as const));
  const cells = [...element.querySelectorAll('td')];
  element.addEventListener('click', onSelect);
  const [priceCell, changeCell, capCell, volumeCell] = cells;
  let marking: ReturnType<typeof setTimeout> | undefined;

  return {
    element,

    /** `showsAge` means that the price is older than the others, so the row shows its age. */
    fill(quote: Quote | undefined, showsAge: boolean): void {
      if (!quote) {
        for (const cell of cells) cell.replaceChildren(UNKNOWN);
        changeCell?.classList.remove('up', 'down');
        return;
      }
      const { price, currency } = quote;
      const amount = (value: number) => bigMoney(value, currency);
      priceCell?.replaceChildren(orUnknown(price.current_price, (value) => money(value, currency)));
      if (showsAge && price.at) {
        priceCell?.append(make('span', { class: 'own-age' }, `as of ${at(price.at, serviceNow())}`));
      }
      const percentage = price.change_24h ?? 0;
      changeCell?.replaceChildren(orUnknown(price.change_24h, (value) => change(value / 100)));
      changeCell?.classList.toggle('up', percentage > 0);
      changeCell?.classList.toggle('down', percentage < 0);
      capCell?.replaceChildren(orUnknown(price.market_cap, amount));
      volumeCell?.replaceChildren(orUnknown(price.total_volume, amount));
    },

    /** Marks a changed price with a color for a moment. The size of the row does not change. */
    mark(direction: 'rose' | 'fell'): void {
      clearTimeout(marking);
      priceCell?.classList.remove('rose', 'fell');
      priceCell?.classList.add(direction);
      marking = setTimeout(() => priceCell?.classList.remove(direction), MARKED_MS);
    },

    select(isSelected: boolean): void {
      element.classList.toggle('selected', isSelected);
      button.setAttribute('aria-pressed', String(isSelected));
    },
  };
}

export type PriceRow = ReturnType<typeof makePriceRow>;

const ENTRIES = 5;

const sinceExtreme = (percentage: number | null, on: Date | null) =>
  [percentage === null ? '' : `${change(percentage / 100)} since`, on === null ? '' : onDate(on)]
    .filter(Boolean)
    .join(' ');

function priceEntries({ price, currency }: Quote): Entry[] {
  const amount = (value: number) => money(value, currency);
  return [
    ['All-time high', orUnknown(price.ath, amount), sinceExtreme(price.ath_change_percentage, price.ath_date)],
    ['All-time low', orUnknown(price.atl, amount), sinceExtreme(price.atl_change_percentage, price.atl_date)],
    ['Circulating supply', orUnknown(price.circulating_supply, count)],
    ['Total supply', orUnknown(price.total_supply, count)],
    ['Max supply', price.max_supply === null ? 'no limit' : count(price.max_supply)],
  ];
}

export function openPriceDetails() {
  const list = byId('market-data-list');
  const note = byId('market-data-note');
  const showAge = openDataAge(byId('market-data-age'));
  let current: Token | undefined;

  return {
    showPlaceholders: () => showPlaceholders(list, ENTRIES),

    /** If the load fails, the price table shows the error. */
    async show(token: Token, loading: Promise<Quote | undefined>): Promise<void> {
      if (current !== token) {
        current = token;
        byId('market-data-title').textContent = `${token.title} market data`;
        showPlaceholders(list, ENTRIES);
        note.textContent = '';
        showAge(undefined);
      }
      const quote = await loading;
      if (current !== token) return;
      const isKnown = quote !== undefined && quote.price.current_price !== null;
      fillList(list, isKnown ? priceEntries(quote) : []);
      note.textContent = isKnown ? '' : 'No data.';
      showAge(isKnown ? quote.age : undefined);
    },
  };
}
