import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { History } from '../history/panel.tsx';
import { MarketData, StatisticsPanel } from './figures.tsx';
import { PricesHead, PricesPanel } from './panel.tsx';
import { Snippets } from './snippets.tsx';
import type { PricesStore } from './store.ts';

/** The page Prices. */
export function PricesPage({ store }: { store: PricesStore }) {
  const chart = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const { value: opened } = store.opened;
    if (!opened || !chart.current) return;
    // On a small screen, the chart is below the table.
    chart.current.scrollIntoView({ block: 'nearest' });
    if (opened.takesFocus) chart.current.querySelector<HTMLElement>('[role=slider]')?.focus();
  });
  return (
    <>
      <PricesHead store={store} />
      <div class="prices-page">
        <PricesPanel store={store} />
        <div class="prices-chart" ref={chart}>
          <History store={store.history} pageAge={store.list.quotes.age.value} />
        </div>
        <MarketData store={store} />
        <StatisticsPanel of={store.statistics} />
        <Snippets store={store} />
      </div>
    </>
  );
}
