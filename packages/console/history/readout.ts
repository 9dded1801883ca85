import { DAY } from '../../pages/dates.ts';
import { change, count, onDate, onDateAt } from '../../pages/format.ts';
import { candlesToCsv, seriesToCsv } from '../api/history-csv.ts';
import { money } from '../core/currency.ts';
import { timeLabel } from './axis-labels.ts';
import {
  type Drawn,
  datesInWords,
  formatMetric,
  type History,
  type HistoryView,
  metricTitle,
  type Points,
  rangeInWords,
} from './chart-choice.ts';
import { comparisonCsv, comparisonRows, rowsInWords, rowTitle } from './comparison-words.ts';
import { defaultInterval, lengthOf } from './intervals.ts';

/* The figures of the chart as text: the line above it, for screen readers, as a table and as a file. */

/** In ms. Like the service, the page shows a 24-hour change only if a sample is this close to 24 hours earlier. */
const TOLERANCE = 30 * 60_000;

/** Returns, as a fraction, the change since the sample nearest to 24 hours before the last sample. */
function dayChange(points: Points): number | undefined {
  const last = points.at(-1);
  if (!last) return undefined;
  const distance = ({ date }: Points[number]) => Math.abs(last.date.getTime() - DAY - date.getTime());
  const nearest = points.reduce((best, point) => (distance(point) < distance(best) ? point : best), last);
  return distance(nearest) <= TOLERANCE && nearest.price !== 0 ? last.price / nearest.price - 1 : undefined;
}

/** Returns the range, or the first date if the data starts well after the range. */
function sinceInWords({ view }: Drawn, first: Date, last: Date): string {
  const { range } = view;
  if (range === 'custom') {
    const dates = datesInWords(first, last);
    return dates === onDate(first) ? `on ${dates}` : `from ${dates}`;
  }
  const days = Number(range);
  const isShort = last.getTime() - first.getTime() < 0.9 * days * DAY;
  return isShort ? `since ${onDate(first)}` : `in ${days} days`;
}

/** Returns text such as `+2.10% in 30 days`. `reported` is the service's 24-hour change, in percent. */
export function changeInWords(drawn: Drawn, reported: number | null | undefined): string {
  const { view, points, candles } = drawn;
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || view.metric === 'total_volume') return '';
  if (view.range === '1') {
    const isPrice = view.metric !== 'market_cap';
    if (isPrice && typeof reported === 'number') {
      const unit = view.currency === 'usd' ? '' : ', based on the price in US dollars';
      return `${change(reported / 100)} in 24h${unit}`;
    }
    const fraction = dayChange(points);
    return fraction === undefined ? '24h change not available' : `${change(fraction)} in 24h`;
  }
  const start = candles?.[0]?.open ?? first.price;
  if (start === 0 || (first === last && !candles)) return rangeInWords(view);
  return `${change(last.price / start - 1)} ${sinceInWords(drawn, first.date, last.date)}`;
}

/** The last value and its change. */
function summaryOf(drawn: Drawn, reported: number | null | undefined): [value: string, note: string] {
  const { points, view } = drawn;
  const last = points.at(-1);
  if (!last) return ['\u00a0', 'no data'];
  const value = formatMetric(view, last.price);
  return [value, view.metric === 'total_volume' ? `on ${onDateAt(last.date)}` : changeInWords(drawn, reported)];
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

function pointInWords({ points, candles, view }: Drawn, at: number, symbol: string): [string, string] | undefined {
  const point = points[at];
  if (!point) return undefined;
  const value = formatMetric(view, point.price);
  const candle = candles?.[at];
  if (!candle) return [value, onDateAt(point.date)];
  const prices = PRICES.map((name) => `${name} ${formatMetric(view, candle[name])}`);
  const volume = `volume ${count(candle.volume)} ${symbol.toUpperCase()}`;
  return [value, `${onDateAt(point.date)}: ${[...prices, volume].join(', ')}`];
}

function wholeInWords({ points, candles, view }: Drawn): string {
  const lows = candles?.map(({ low }) => low) ?? points.map(({ price }) => price);
  const highs = candles?.map(({ high }) => high) ?? lows;
  const low = lows.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const high = highs.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const [lowest, highest] = [low, high].map((price) => formatMetric(view, price));
  return `${count(points.length)} ${candles ? 'candles' : 'points'}, lowest ${lowest}, highest ${highest}`;
}

/** The last point can differ from the latest price in the table. */
function lastPointInWords({ points, view }: Drawn): string {
  const last = points.at(-1);
  if (!last || view.metric === 'total_volume') return '';
  return `Last point, ${timeLabel(last.date.getTime() / 1000, lengthOf(view.interval) < DAY ? 'time' : 'day')}`;
}

const NO_READING = { value: '\u00a0', label: '', note: '\u00a0', spoken: 'No data yet' };

/**
 * The selected point; without one, the last value and its change. `last` is the last visible point, `symbol` that of the
 * first token, and `reported` the service's 24-hour change, in percent.
 */
export function readingOf(
  drawn: Drawn | undefined,
  at: { index: number | undefined; last: number },
  symbol: string,
  reported: number | null | undefined,
) {
  if (!drawn) return NO_READING;
  const { comparison, view } = drawn;
  if (comparison) {
    const row = at.index ?? at.last;
    const [value, note] = rowTitle(comparison, row, view);
    return { value, label: '', note, spoken: `${value}: ${rowsInWords(comparison, row, view)}` };
  }
  const point = at.index === undefined ? undefined : pointInWords(drawn, at.index, symbol);
  const [value, text] = point ?? summaryOf(drawn, reported);
  // The value is the closing price.
  const note = text
    .replace(/ close [^ ]+/, '')
    .replace(/\b(open|high|low|volume) /g, (name) => `${name[0]?.toUpperCase()} `);
  const label = point ? '' : lastPointInWords(drawn);
  return { value, label, note, spoken: point ? `${value}, ${text}` : `${value}, ${text}. ${wholeInWords(drawn)}` };
}

/** The rows of the table: a time and one or more values. */
export function rowsOf({ points, candles, view, comparison }: Drawn): { heads: string[]; rows: string[][] } {
  if (comparison)
    return { heads: comparison.lines.map(({ token }) => token.title), rows: comparisonRows(comparison, view) };
  if (!candles) {
    const rows = points.map(({ date, price }) => [onDateAt(date), formatMetric(view, price)]);
    return { heads: [metricTitle(view.metric)], rows };
  }
  const rows = candles.map((candle) => [
    onDateAt(candle.date),
    ...PRICES.map((name) => money(candle[name], view.currency)),
    count(candle.volume),
  ]);
  return { heads: ['Open', 'High', 'Low', 'Close', 'Volume, tokens'], rows };
}

/** Returns a name such as `bitcoin-30d-hourly-eur-candles.csv` or `bitcoin-solana-30d.csv`, without defaults. */
export function fileName(view: HistoryView): string {
  const { token, compare, range, from, thru, interval, currency, metric } = view;
  const days = range === '36500' ? 'all' : `${range}d`;
  const parts = [token, ...compare, range === 'custom' ? `${from}_${thru}` : days];
  if (interval !== defaultInterval(view)) parts.push(interval);
  if (currency !== 'usd') parts.push(currency);
  if (metric === 'candles') parts.push('candles');
  return `${parts.join('-')}.csv`;
}

/** The lines of a comparison, or the history of the only token. */
export function csvOf({ view, comparison }: Drawn, value: History): string {
  if (comparison) return comparisonCsv(comparison, view);
  return Array.isArray(value) ? candlesToCsv(value, view.currency) : seriesToCsv(value, view.currency);
}
