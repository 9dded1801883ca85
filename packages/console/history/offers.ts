import { computed, type ReadonlySignal } from '@preact/signals';
import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { onDate } from '../../pages/format.ts';
import type { Interval } from '../api/api-call.ts';
import { metricFault, type HistoryView as View } from './chart-choice.ts';
import { addFault } from './comparison.ts';
import * as intervals from './intervals.ts';

/** Before the tokens are loaded, all dates are available. */
const ANY = '1970-01-01';
const UNKNOWN: intervals.Availability = {
  available: { prices: { minute: ANY, hour: ANY, day: ANY }, candles: null },
};

/**
 * What can be selected for the tokens of the chart. A fault states why a choice is not available, and is empty for the
 * other choices. `catalogue` contains all tokens.
 */
export function createOffers(
  view: ReadonlySignal<View>,
  tokens: ReadonlySignal<readonly Token[]>,
  catalogue: ReadonlySignal<readonly Token[]>,
) {
  const available = computed(() => intervals.commonAvailability(tokens.value[0] ?? UNKNOWN, tokens.value.slice(1)));
  const first = computed(() => {
    const dates = tokens.value.map((one) => intervals.earliestDate(view.value.metric, one) ?? one.listed);
    return dates.sort()[0] ?? '';
  });
  return {
    available,
    /** The first date with data. */
    first,
    /** How far back candles go, if they are selected. */
    reach: computed(() =>
      view.value.metric === 'candles' ? intervals.candleReach(available.value, serviceNow()) : '',
    ),
    /** The dates of the fields of a custom range. */
    dates: computed((): intervals.DateRange => {
      const now = serviceNow();
      return view.value.range === 'custom' ? view.value : { from: isoDate(now - 14 * DAY), thru: isoDate(now) };
    }),
    metricFault: (metric: View['metric']) => metricFault(metric, tokens.value),
    rangeFault: (range: View['range']) => intervals.rangeFault({ ...view.value, range }, available.value, serviceNow()),
    intervalFault(interval: Interval): string {
      const isShown = interval === view.value.interval;
      return isShown ? '' : intervals.intervalFault(view.value, interval, available.value, serviceNow());
    },
    dateFault(date: string): string {
      if (date === '' || date > isoDate(serviceNow())) return date && 'This date is in the future.';
      const subject = view.value.metric === 'candles' ? 'Candles' : 'Prices';
      return date < first.value ? `${subject} are available from ${onDate(new Date(first.value))}.` : '';
    },
    tokenFault: (text: string) => addFault(text, tokens.value, catalogue.value),
  };
}
