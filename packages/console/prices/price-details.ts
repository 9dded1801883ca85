import type { Token } from '../../client/index.ts';
import { byId } from '../core/dom.ts';
import { change, count, money, onDate, orUnknown } from '../core/format.ts';
import { openDataAge } from '../panels/data-age.ts';
import { type Entry, fillList, showPlaceholders } from '../panels/figure-list.ts';
import type { Quote } from './quotes.ts';

const ENTRIES = 5;

const sinceExtreme = (percentage: number | null, on: Date | null) =>
  [percentage === null ? '' : `${change(percentage / 100)} since`, on === null ? '' : onDate(on)]
    .filter(Boolean)
    .join(' ');

/** What the latest price has beyond price, market cap and volume. */
function priceEntries({ price, currency }: Quote): Entry[] {
  const amount = (value: number) => money(value, currency);
  return [
    [
      'All-time high',
      orUnknown(price.ath, amount),
      sinceExtreme(price.ath_change_percentage, price.ath_date),
    ],
    ['All-time low', orUnknown(price.atl, amount), sinceExtreme(price.atl_change_percentage, price.atl_date)],
    ['Circulating supply', orUnknown(price.circulating_supply, count)],
    ['Total supply', orUnknown(price.total_supply, count)],
    ['Max supply', price.max_supply === null ? 'no limit' : count(price.max_supply)],
  ];
}

export function openPriceDetails() {
  const [list, note] = [byId('market-data-list'), byId('market-data-note')];
  const showAge = openDataAge(byId('market-data-age'));
  let current: Token | undefined;

  return {
    showPlaceholders: () => showPlaceholders(list, ENTRIES),

    /** Shows the price of a token once it is there. The table of prices shows an error. */
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
