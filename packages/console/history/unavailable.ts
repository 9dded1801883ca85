import type { QuotientError, Token } from '../../client/index.ts';
import { make, makeButton } from '../core/dom.ts';
import { onDate } from '../core/format.ts';
import type { DateRange } from '../range/date-presets.ts';
import { earliestDate, firstDate, INTERVALS, isoDate } from '../range/intervals.ts';
import { type HistoryView, metricInWords, rangeInWords } from './chart-choice.ts';

type Unavailable = { view: HistoryView; token: Token; error: QuotientError; now: number };

const dateInWords = (date: string) => onDate(new Date(date));

/** Whether an error says that the range is not available: it ends before the first date, or the service lists gaps. */
export function isUnavailable({ view, token, error, now }: Unavailable): boolean {
  if (error.code === 'no_data' && error.gaps.length > 0) return true;
  const first = firstDate(view.metric, view.interval, token);
  const thru = view.range === 'custom' ? view.thru : isoDate(now);
  const isMissing = error.code === 'no_data' || error.code === 'upstream_unavailable';
  return isMissing && first !== undefined && thru < first;
}

/** The first date of each interval: `28 May 2024 (daily), 15 Apr 2026 (hourly)`. */
function firstDatesInWords({ view, token }: Pick<Unavailable, 'view' | 'token'>): string {
  const dates = INTERVALS.toReversed().flatMap(([interval]) => {
    const first = firstDate(view.metric, interval, token);
    return first === undefined ? [] : [`${dateInWords(first)} (${interval})`];
  });
  return dates.join(', ');
}

/** A note that a range is not available, with a button that shows the available range in its place. */
export function unavailableNote(unavailable: Unavailable, onShow: (range: DateRange) => void): HTMLElement {
  const { view, token, now } = unavailable;
  const missing = `no ${view.interval} ${metricInWords(view.metric)} for ${rangeInWords(view)}`;
  const note = make('div', { class: 'note bad' }, make('p', {}, `${token.title}: ${missing}.`));
  // A long range is daily.
  const from = firstDate(view.metric, 'daily', token) ?? earliestDate(view.metric, token);
  if (from === undefined) return note;
  const range = { from, thru: isoDate(now) };
  const label = `Show ${dateInWords(range.from)} to ${dateInWords(range.thru)}`;
  note.append(
    make('p', {}, `Available from ${firstDatesInWords(unavailable)}.`),
    make(
      'div',
      { class: 'row' },
      makeButton(label, () => onShow(range), 'primary'),
    ),
  );
  return note;
}
