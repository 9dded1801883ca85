import { change, onDate } from '../core/format.ts';
import { type Drawn, datesInWords, type Points, rangeInWords } from './chart-choice.ts';

const DAY = 86_400_000;
/** As the service has it: a change in 24 hours is told where there is a sample this near to 24 hours ago. */
const TOLERANCE = 30 * 60_000;

/** The change since the sample nearest to 24 hours before the last one, as a fraction. */
function dayChange(points: Points): number | undefined {
  const last = points.at(-1);
  if (!last) return undefined;
  const distance = ({ date }: Points[number]) => Math.abs(last.date.getTime() - DAY - date.getTime());
  const nearest = points.reduce((best, point) => (distance(point) < distance(best) ? point : best), last);
  return distance(nearest) <= TOLERANCE && nearest.price !== 0 ? last.price / nearest.price - 1 : undefined;
}

/** Since when the change is: the range, or the first point where the data begin well after it. */
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

/** The change over what is drawn: `+2.10% in 30 days`. `board` is the service's change in 24 hours, in per cent. */
export function changeInWords(drawn: Drawn, board: number | null | undefined): string {
  const { view, points, candles } = drawn;
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || view.metric === 'total_volume') return '';
  if (view.range === '1') {
    const isPrice = view.metric !== 'market_cap';
    if (isPrice && typeof board === 'number') {
      const unit = view.currency === 'usd' ? '' : ', of the price in US dollars';
      return `${change(board / 100)} in 24h${unit}`;
    }
    const fraction = dayChange(points);
    return fraction === undefined ? `change in 24h not known` : `${change(fraction)} in 24h`;
  }
  const start = candles?.[0]?.open ?? first.price;
  if (start === 0 || (first === last && !candles)) return rangeInWords(view);
  return `${change(last.price / start - 1)} ${sinceInWords(drawn, first.date, last.date)}`;
}
