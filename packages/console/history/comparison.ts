import type { PriceSeries, Token } from '../../client/index.ts';
import type { Interval } from '../api/api-call.ts';
import { lengthOf } from './intervals.ts';

/* Lines of several tokens in one chart. A line has one value per row, and the rows share their dates. */

export const MAX_COMPARED = 5;

export const MODES = [
  ['indexed', 'Indexed to 100'],
  ['price', 'By price'],
] as const;
export type Mode = (typeof MODES)[number][0];

export type Line = {
  token: Token;
  /** The amount in each row, in the currency of the view. Undefined if it is missing. */
  amounts: readonly (number | undefined)[];
  /** The values that the chart shows: amounts, or indices. */
  values: readonly (number | undefined)[];
};
export type Comparison = { dates: readonly Date[]; lines: readonly Line[] };
type Points = PriceSeries['prices'];
type Series = { token: Token; points: Points };

const DAY = lengthOf('daily');
/** Sources date a midnight's sample up to this long after midnight, in ms. */
const MIDNIGHT_MS = 60_000;
const startOfDay = (at: number) => at - (at % DAY);

/**
 * The time of a sample's row. Tokens are sampled seconds or minutes apart. `newest` is the time of the newest sample:
 * latest samples share its row.
 */
function rowTime(at: number, isLast: boolean, interval: Interval, newest: number): number {
  if (interval !== 'daily') return Math.min(newest, Math.round(at / lengthOf(interval)) * lengthOf(interval));
  if (!isLast || at % DAY < MIDNIGHT_MS) return startOfDay(at);
  return startOfDay(at) === startOfDay(newest) ? newest : at;
}

/** The indices of a token, relative to its first amount. */
export const indexed = (amounts: readonly (number | undefined)[]) => {
  const base = amounts.find((amount) => amount !== undefined && amount > 0);
  return amounts.map((amount) => (amount === undefined || base === undefined ? undefined : (amount / base) * 100));
};

export function compared(series: readonly Series[], interval: Interval, mode: Mode): Comparison {
  const newest = Math.max(0, ...series.map(({ points }) => points.at(-1)?.date.getTime() ?? 0));
  const columns = series.map(({ points }) => {
    const last = points.length - 1;
    return new Map(points.map(({ date, price }, i) => [rowTime(date.getTime(), i === last, interval, newest), price]));
  });
  const times = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b);
  const lines = series.map(({ token }, i): Line => {
    const amounts = times.map((time) => columns[i]?.get(time));
    return { token, amounts, values: mode === 'indexed' ? indexed(amounts) : amounts };
  });
  return { dates: times.map((time) => new Date(time)), lines };
}

/** Finds a token by its name, symbol or title, case-insensitive. */
export function findToken(tokens: readonly Token[], text: string): Token | undefined {
  const wanted = text.trim().toLowerCase();
  return (
    tokens.find(({ tokenName, symbol }) => tokenName === wanted || symbol === wanted) ??
    tokens.find(({ title }) => title.toLowerCase() === wanted)
  );
}

/** Why the text names no token that can be added to the shown ones, or an empty text. */
export function addFault(text: string, shown: readonly Token[], tokens: readonly Token[]): string {
  const found = findToken(tokens, text);
  if (!found) return 'Enter the name or the symbol of a token, such as ethereum.';
  const isShown = shown.some(({ tokenName }) => tokenName === found.tokenName);
  if (isShown) return `The chart already shows ${found.title}.`;
  return shown.length < MAX_COMPARED ? '' : `The chart shows up to ${MAX_COMPARED} tokens. Remove one first.`;
}

/** Whether the line has a gap after a row. */
export const endsBefore = (values: Line['values'], row: number): boolean =>
  row + 1 < values.length && values[row + 1] === undefined;

/** The rows as points with the first known value, for the parts of the chart that need one series. */
export const pointsOf = ({ dates, lines }: Comparison): Points =>
  dates.map((date, row) => ({
    date,
    price: lines.map(({ values }) => values[row]).find((value) => value !== undefined) ?? 0,
  }));
