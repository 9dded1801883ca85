import { useComputed, useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { Sparkline } from '../../pages/components/sparkline.tsx';
import { at, change, orUnknown, UNKNOWN } from '../../pages/format.ts';
import type { TokenName } from '../api/api-call.ts';
import { bigMoney, money } from '../core/currency.ts';
import type { PriceList } from './list.ts';
import { isBehind, type Quote } from './quotes.ts';
import { COLUMNS, type Column } from './sorting.ts';

/** How long a changed price is marked, in ms. */
const MARKED_MS = 1500;

type TableProps = { list: PriceList; onSelect: (token: TokenName) => void };

/** The color of a token's initial. */
const hueOf = (symbol: string) => [...symbol].reduce((hue, letter) => (hue * 31 + letter.charCodeAt(0)) % 360, 7);

const Initial = ({ symbol }: { symbol: string }) => (
  <span class="token-icon" aria-hidden="true" style={{ '--hue': hueOf(symbol) }}>
    {symbol.slice(0, 1)}
  </span>
);

/** Marks a price that has changed with a color for a moment. The size of the row does not change. */
function useMark(quote: Quote | undefined): string {
  const mark = useSignal('');
  useEffect(() => {
    const { direction, at } = quote?.move ?? { direction: '', at: 0 };
    const left = at + MARKED_MS - performance.now();
    mark.value = left > 0 ? direction : '';
    if (left <= 0) return undefined;
    const timer = setTimeout(() => {
      mark.value = '';
    }, left);
    return () => clearTimeout(timer);
  }, [quote]);
  return mark.value;
}

/** The archived prices of the last 24 hours and the latest price. The color shows the direction of the change. */
function Line({ price, currency }: Quote) {
  const values = [...(price.sparkline_24h ?? []), price.current_price];
  const [first, ...others] = values.filter((value) => value !== null);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return <>{UNKNOWN}</>;
  const label = `Last 24 hours: ${money(first, currency)} to ${money(last, currency)}`;
  return <Sparkline values={values} label={label} class={directionOf(price.change_24h)} />;
}

const directionOf = (percentage: number | null | undefined) => (!percentage ? '' : percentage > 0 ? 'up' : 'down');

function Row({ token, list, onSelect }: TableProps & { token: Token }) {
  const { tokenName, title, symbol } = token;
  const quote = list.quotes.of(tokenName);
  const isSelected = useComputed(() => list.selected.value === tokenName).value;
  // A price that is older than the others shows its age.
  const isLate = useComputed(() => {
    const current = list.quotes.of(tokenName);
    return current !== undefined && isBehind(current, list.quotes.newest.value);
  }).value;
  const mark = useMark(quote);
  const price = quote?.price;
  const shown = (value: number | null | undefined, format: (value: number, currency: string) => string) =>
    quote ? orUnknown(value ?? null, (known) => format(known, quote.currency)) : UNKNOWN;
  return (
    <tr class={isSelected ? 'selected' : ''} onClick={() => onSelect(tokenName)}>
      <th scope="row">
        <button type="button" class="token" aria-pressed={isSelected}>
          <Initial symbol={symbol} />
          <span class="name">{title}</span> <span class="symbol">{symbol}</span>
        </button>
      </th>
      <td class={`num price ${mark}`}>
        {shown(price?.current_price, money)}
        {isLate && price?.at && <span class="own-age">as of {at(price.at, serviceNow())}</span>}
      </td>
      <td class={`num change ${directionOf(price?.change_24h)}`}>
        {shown(price?.change_24h, (percentage) => change(percentage / 100))}
      </td>
      <td class="line">{quote ? <Line {...quote} /> : UNKNOWN}</td>
      <td class="num cap" data-label="Cap">
        {shown(price?.market_cap, bigMoney)}
      </td>
      <td class="num volume" data-label="Vol">
        {shown(price?.total_volume, bigMoney)}
      </td>
    </tr>
  );
}

const KINDS: Readonly<Record<Column, string>> = {
  title: '',
  current_price: 'num price',
  change_24h: 'num change',
  market_cap: 'num cap',
  total_volume: 'num volume',
};

const PlaceholderRow = () => (
  <tr>
    <th scope="row">
      <span class="token">
        <span class="placeholder wide">{'\u2007'}</span>
      </span>
    </th>
    {['num price', 'num change', 'line', 'num cap', 'num volume'].map((kind) => (
      <td key={kind} class={kind}>
        <span class="placeholder">{'\u2007'}</span>
      </td>
    ))}
  </tr>
);

function Heads({ list: { sorting, sortBy } }: Pick<TableProps, 'list'>) {
  const { column, direction } = sorting.value;
  return (
    <tr>
      {COLUMNS.map(([name, label]) => (
        <Fragment key={name}>
          <th scope="col" class={KINDS[name]} aria-sort={name === column ? direction : undefined}>
            <button type="button" class="sort" onClick={() => sortBy(name)}>
              {label}
            </button>
          </th>
          {name === 'change_24h' && (
            <th scope="col" class="line">
              Last 24h
            </th>
          )}
        </Fragment>
      ))}
    </tr>
  );
}

function Rows({ list, onSelect }: TableProps) {
  const { listing, placeholders } = list;
  if (placeholders.value > 0)
    return (
      <>
        {Array.from({ length: placeholders.value }, (_, i) => (
          <PlaceholderRow key={i} />
        ))}
      </>
    );
  return (
    <>
      {listing.value.shown.map((token) => (
        <Row key={token.tokenName} token={token} list={list} onSelect={onSelect} />
      ))}
    </>
  );
}

/** The prices of the tokens. A row renders only if its own price, its selection or its token changes. */
export const PriceTable = ({ list, onSelect }: TableProps) => (
  <table class="prices-table" aria-label="Prices">
    <thead>
      <Heads list={list} />
    </thead>
    <tbody>
      <Rows list={list} onSelect={onSelect} />
    </tbody>
  </table>
);
