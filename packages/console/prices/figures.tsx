import { Figures, Panel } from '../../pages/components/figures.tsx';
import { change, count, inCalls, onDate, orUnknown } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { money } from '../core/currency.ts';
import { PanelProblem } from '../core/failures.tsx';
import type { Quote } from './quotes.ts';
import type { Entry, Statistics } from './statistics.ts';
import type { PricesStore } from './store.ts';

type EntriesProps = {
  /** Undefined while they are loading. */
  of: readonly Entry[] | undefined;
  /** The number of entries for which space is reserved meanwhile. */
  expected: number;
};

const Entries = ({ of, expected }: EntriesProps) => (
  <Figures
    class="grid"
    of={
      of?.map(([label, text, note]) => [
        label,
        <>
          {text}
          {note && <span class="soft">{note}</span>}
        </>,
      ]) ??
      Array.from({ length: expected }, (_, i) => [
        // Each label is also the key of its entry.
        '\u2007'.repeat(i + 1),
        <span class="placeholder">{'\u2007'}</span>,
      ])
    }
  />
);

const sinceExtreme = (percentage: number | null, on: Date | null) =>
  [percentage === null ? '' : `${change(percentage / 100)} since`, on === null ? '' : onDate(on)]
    .filter(Boolean)
    .join(' ');

function marketEntries({ price, currency }: Quote): Entry[] {
  const amount = (value: number) => money(value, currency);
  return [
    ['All-time high', orUnknown(price.ath, amount), sinceExtreme(price.ath_change_percentage, price.ath_date)],
    ['All-time low', orUnknown(price.atl, amount), sinceExtreme(price.atl_change_percentage, price.atl_date)],
    ['Circulating supply', orUnknown(price.circulating_supply, count)],
    ['Total supply', orUnknown(price.total_supply, count)],
    ['Max supply', price.max_supply === null ? 'no limit' : count(price.max_supply)],
  ];
}

const ENTRIES = 5;

/** The market data of the selected token. If its price cannot be loaded, the price table shows the error. */
export function MarketData({ store: { token, list } }: { store: PricesStore }) {
  const quote = token.value && list.quotes.of(token.value.tokenName);
  const isKnown = quote !== undefined && quote.price.current_price !== null;
  const isPending = quote === undefined && list.isBusy.value;
  return (
    <Panel
      title={token.value ? `${token.value.title} market data` : 'Market data'}
      class="market-data"
      actions={<Age of={isKnown ? quote.age : undefined} unless={list.quotes.age.value} />}
    >
      {isKnown || isPending ? (
        <Entries of={isKnown ? marketEntries(quote) : undefined} expected={ENTRIES} />
      ) : (
        <p class="soft">No data.</p>
      )}
    </Panel>
  );
}

const EXPECTED_STATISTICS = 12;

export function StatisticsPanel({ of }: { of: Statistics }) {
  const { token, symbol, isWanted, isLoading, entries, age, note, failure, want } = of;
  const isOffered = symbol.value !== undefined && !isWanted.value;
  const isListed = entries.value !== undefined || isLoading.value;
  return (
    <Panel
      title={token.value ? `${token.value.title} on-chain statistics` : 'On-chain statistics'}
      class="statistics"
      actions={
        isOffered ? (
          <button type="button" class="small" onClick={want}>
            Load statistics: {inCalls(1)}
          </button>
        ) : (
          <Age of={age.value} />
        )
      }
    >
      {isListed && <Entries of={entries.value} expected={EXPECTED_STATISTICS} />}
      {isOffered ? <p class="soft">Blocks, transactions, addresses and supply.</p> : <p class="soft">{note}</p>}
      <PanelProblem of={failure} />
    </Panel>
  );
}
