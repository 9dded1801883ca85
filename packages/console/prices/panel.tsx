import { useEffect, useRef } from 'preact/hooks';
import { Info, Switch } from '../../pages/components/controls.tsx';
import { count } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { CurrencyChoice } from '../core/currency-choice.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { CHART_COSTS } from '../history/panel.tsx';
import { RESERVES } from './auto-refresh.ts';
import { REFRESH_MINUTES } from './costs.ts';
import { COLUMNS } from './sorting.ts';
import type { PricesStore } from './store.ts';
import { PriceTable } from './table.tsx';

type StoreProps = { store: PricesStore };

function LiveSwitch({ store: { live } }: StoreProps) {
  return (
    <Switch isOn={live.isOn.value} onChange={live.turn}>
      <span class="pulse" data-on={live.isConnected.value || undefined} aria-hidden="true" />
      Live prices
    </Switch>
  );
}

/** Refreshes the page now, or at an interval. */
const RefreshControl = ({ store: { refresh, autoRefresh } }: StoreProps) => (
  <span class="refresh">
    <button type="button" class="small" onClick={() => void refresh()}>
      Refresh
    </button>
    <label>
      <span class="unseen">Auto-refresh</span>
      <select
        value={autoRefresh.isOn.value ? 'on' : 'off'}
        onChange={({ currentTarget }) => {
          autoRefresh.turn(currentTarget.value === 'on');
          // The page may have turned it off at once.
          currentTarget.value = autoRefresh.isOn.value ? 'on' : 'off';
        }}
      >
        <option value="off">manually</option>
        <option value="on">every {REFRESH_MINUTES} min</option>
      </select>
    </label>
  </span>
);

/** The title of the page, and the controls of all of its panels. */
export const PricesHead = ({ store }: StoreProps) => (
  <header class="view-head prices-head">
    <div>
      <h1 tabIndex={-1}>Prices</h1>
      <Age of={store.list.quotes.age.value} />
    </div>
    <div class="row">
      <LiveSwitch store={store} />
      <RefreshControl store={store} />
      <CurrencyChoice currency={store.currency} onChoose={store.chooseCurrency} />
    </div>
    <p class="soft stopped" role="status">
      {[store.live.reason.value, store.autoRefresh.reason.value].filter(Boolean).join(' ')}
    </p>
  </header>
);

const DIRECTIONS = ['descending', 'ascending'] as const;
const ORDERS = COLUMNS.flatMap(([column, label]) =>
  DIRECTIONS.map((direction) => {
    const words = column === 'title' ? ['Z to A', 'A to Z'] : ['highest first', 'lowest first'];
    return {
      value: `${column} ${direction}`,
      sorting: { column, direction },
      label: `${label}, ${words[DIRECTIONS.indexOf(direction)]}`,
    };
  }),
);

/** On a small screen, the table has no column headings. */
const SortChoice = ({ list: { sorting } }: Pick<PricesStore, 'list'>) => (
  <label class="prices-sort">
    Sort
    <select
      value={`${sorting.value.column} ${sorting.value.direction}`}
      onChange={({ currentTarget }) => {
        const order = ORDERS.find(({ value }) => value === currentTarget.value);
        if (order) sorting.value = order.sorting;
      }}
    >
      {ORDERS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

const Search = ({ list: { search, size } }: Pick<PricesStore, 'list'>) => (
  <search class="prices-search">
    <label>
      <span class="unseen">Search tokens</span>
      <input
        type="search"
        value={search}
        placeholder={`Search ${count(size.value)} tokens`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value;
        }}
      />
    </label>
  </search>
);

/** What the page charges, and when it stops. */
const Costs = ({ store: { costs, reserve, currency } }: StoreProps) => (
  <Info label={costs.value.line}>
    <p>{costs.value.refresh}</p>
    <p>
      Refresh every {REFRESH_MINUTES} minutes: {costs.value.autoRefresh}
    </p>
    <p>Live prices: {costs.value.live}</p>
    <p>{CHART_COSTS}</p>
    <p>
      <label>
        Stop both when less than{' '}
        <select
          value={reserve.percent.value}
          onChange={({ currentTarget }) => {
            const next = RESERVES.find((one) => one === currentTarget.value);
            if (next) reserve.set(next);
          }}
        >
          {RESERVES.map((percent) => (
            <option key={percent} value={percent}>
              {percent}%
            </option>
          ))}
        </select>{' '}
        of the allowance is left
      </label>
    </p>
    <p>
      The 24h change compares the latest price with the price nearest to 24 hours earlier. If no price exists within 30
      minutes of that time, no change is shown.
      {currency.code !== 'usd' && ' 24h changes are based on the price in US dollars.'}
    </p>
  </Info>
);

export function PricesPanel({ store }: StoreProps) {
  const { list, failure, select, openChart } = store;
  const scroll = useRef<HTMLDivElement>(null);
  const { value: sorting } = list.sorting;
  useEffect(() => scroll.current?.scrollTo(0, 0), [sorting]);
  return (
    <section class="panel prices" aria-label="Latest prices" aria-busy={list.isBusy.value}>
      {list.isSearchable.value && <Search list={list} />}
      <SortChoice list={list} />
      <button type="button" class="skip inside" onClick={() => openChart(true)}>
        Skip the table
      </button>
      <div class="prices-scroll" ref={scroll}>
        <PriceTable list={list} onSelect={select} />
      </div>
      <PanelProblem of={failure} />
      <div class="foot prices-foot">
        {list.more.value !== '' && (
          <button type="button" class="small" onClick={list.loadMore}>
            {list.more}
          </button>
        )}
        <span class="soft" role="status">
          {list.summary}
        </span>
        <Costs store={store} />
      </div>
    </section>
  );
}
