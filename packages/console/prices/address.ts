import type { Token } from '../../client/index.ts';
import { isoDate } from '../../pages/dates.ts';
import type { Interval } from '../api/api-call.ts';
import { DEFAULT_CURRENCY } from '../core/currency.ts';
import { pageIn } from '../core/router.ts';
import {
  DEFAULT_VIEW,
  type HistoryView,
  hasCandles,
  isComparable,
  METRICS,
  metricInWords,
  RANGES,
  rangeInWords,
  SCALES,
} from '../history/chart-choice.ts';
import { findToken, MAX_COMPARED, MODES } from '../history/comparison.ts';
import {
  type Availability,
  commonAvailability,
  defaultInterval,
  INTERVALS,
  intervalFor,
  type Ranged,
} from '../history/intervals.ts';

export type View = Omit<HistoryView, 'listed'>;
type RequestedRange = Pick<View, 'range' | 'from' | 'thru'>;

/** The view that a URL requests. Missing and invalid parts are undefined or have their default. */
export type RequestedView = RequestedRange & {
  /** The token, which is not validated: only the service knows the tokens. */
  token: string | undefined;
  currency: string | undefined;
  metric: View['metric'];
  scale: View['scale'];
  /** The tokens to compare, which are not validated. */
  compare: string[];
  mode: View['mode'];
  namesChart: boolean;
  interval: Interval | undefined;
  faults: string[];
};

const DAYS = /^(\d{1,5})d$/;
const DATES = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/;
const ALL = '36500';
const quoted = (text: string) => `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;

const isDate = (text: string) => {
  const at = Date.parse(text);
  return !Number.isNaN(at) && isoDate(at) === text;
};

function rangeText({ range, from, thru }: RequestedRange): string {
  if (range === 'custom') return `${from}..${thru}`;
  return range === ALL ? 'all' : `${range}d`;
}

/** Parses `7d`, `all` or `2026-01-01..2026-02-01`. Returns undefined for an invalid range or a future start. */
function readRange(text: string, today: string): RequestedRange | undefined {
  const [, from, thru] = DATES.exec(text) ?? [];
  if (from !== undefined && thru !== undefined) {
    const isRange = isDate(from) && isDate(thru) && from <= thru && from <= today;
    return isRange ? { range: 'custom', from, thru } : undefined;
  }
  const days = text === 'all' ? ALL : DAYS.exec(text)?.[1];
  const range = RANGES.find(([name]) => name === days)?.[0];
  return range && { range, from: '', thru: '' };
}

export function readAddress(search: string, now: number, isCurrency: (code: string) => boolean): RequestedView {
  const query = new URLSearchParams(search);
  const faults: string[] = [];
  function offered<T extends string>(name: string, values: readonly T[], replacement: string): T | undefined {
    const requested = query.get(name);
    const value = values.find((one) => one === requested);
    if (requested !== null && !value) faults.push(`Unknown ${name} ${quoted(requested)}. ${replacement}`);
    return value;
  }
  const names = <T extends string>(list: readonly (readonly [T, string])[]) => list.map(([name]) => name);

  const metric = offered('metric', names(METRICS), 'Showing the price.');
  const requestedRange = query.get('range');
  const range = requestedRange === null ? DEFAULT_VIEW : readRange(requestedRange, isoDate(now));
  if (!range)
    faults.push(`Unknown time range ${quoted(requestedRange ?? '')}. Showing the ${rangeInWords(DEFAULT_VIEW)}.`);
  const code = query.get('currency')?.toLowerCase();
  const currency = code !== undefined && isCurrency(code) ? code : undefined;
  if (code !== undefined && currency === undefined) faults.push(`Unknown currency ${quoted(code)}.`);
  const scale = offered('scale', SCALES, 'Showing the linear scale.');
  const mode = offered('mode', names(MODES), 'Showing the index.');
  const compare = (query.get('compare') ?? '').split(',').filter((name) => name.trim() !== '');
  const interval = offered('interval', names(INTERVALS), 'Showing the default interval.');
  const { range: days, from, thru } = range ?? DEFAULT_VIEW;
  return {
    token: query.get('token') ?? undefined,
    currency,
    metric: metric ?? DEFAULT_VIEW.metric,
    scale: scale ?? DEFAULT_VIEW.scale,
    compare,
    mode: mode ?? DEFAULT_VIEW.mode,
    namesChart: ['token', 'compare', 'mode', 'metric', 'range', 'interval', 'scale'].some((name) => query.has(name)),
    interval,
    range: days,
    from,
    thru,
    faults,
  };
}

export function intervalFaults(
  { interval, ...view }: Ranged & Pick<RequestedView, 'interval'>,
  token: Availability,
  now: number,
): string[] {
  const shown = intervalFor(view, interval, token, now);
  if (interval === undefined || interval === shown) return [];
  return [`The interval ${quoted(interval)} is not available for this time range. Showing ${shown} data.`];
}

export type RequestedTokens = { token: Token; compared: readonly Token[] };

/** The served tokens that a URL compares with `shown`, once each. */
function comparedTokens({ compare, faults }: RequestedView, shown: Token, tokens: readonly Token[]): Token[] {
  const found = compare.flatMap((name) => {
    const token = findToken(tokens, name);
    if (!token) faults.push(`Unknown token ${quoted(name)} in the comparison.`);
    return token && token !== shown ? [token] : [];
  });
  const all = [...new Set(found)];
  if (all.length >= MAX_COMPARED) faults.push(`A chart shows up to ${MAX_COMPARED} tokens. Showing the first ones.`);
  return all.slice(0, MAX_COMPARED - 1);
}

/** Resolves the tokens that a URL names, and adds what cannot be shown to its faults. Undefined without tokens. */
export function resolveTokens(view: RequestedView, tokens: readonly Token[], now: number): RequestedTokens | undefined {
  const { token, metric, faults } = view;
  const found = token === undefined ? undefined : findToken(tokens, token);
  const shown = found ?? tokens[0];
  if (!shown) return undefined;
  if (token !== undefined && !found) faults.push(`Unknown token ${quoted(token)}. Showing ${shown.title}.`);
  const compared = comparedTokens(view, shown, tokens);
  const isAlone = compared.length === 0;
  if (isAlone && metric === 'candles' && !hasCandles(shown)) {
    faults.push(`No candles are available for ${shown.title}. Showing the price.`);
    view.metric = 'prices';
  }
  if (!isAlone && !isComparable(metric)) {
    faults.push('Only prices and market caps can be compared. Showing the price.');
    view.metric = 'prices';
  }
  faults.push(...intervalFaults(view, commonAvailability(shown, compared), now));
  return { token: shown, compared };
}

export function searchOf(view: View): string {
  const { token, compare, mode, metric, interval, scale, currency } = view;
  const parts = [
    ['token', token, DEFAULT_VIEW.token],
    ['compare', compare.join(), ''],
    ['mode', compare.length > 0 ? mode : DEFAULT_VIEW.mode, DEFAULT_VIEW.mode],
    ['metric', metric, DEFAULT_VIEW.metric],
    ['range', rangeText(view), rangeText(DEFAULT_VIEW)],
    ['interval', interval, defaultInterval(view)],
    ['scale', scale, DEFAULT_VIEW.scale],
    ['currency', currency, DEFAULT_CURRENCY],
  ] as const;
  const query = new URLSearchParams(
    parts.flatMap(([name, value, defaultValue]) => (value === defaultValue ? [] : [[name, value]])),
  )
    .toString()
    // Commas in the list of tokens stay readable.
    .replaceAll('%2C', ',');
  return query && `?${query}`;
}

/** `Solana price, 30 days, EUR · Quotient`. `title` names the tokens. */
export const pageTitle = (title: string, view: View) =>
  [
    `${title} ${metricInWords(view.metric)}`,
    rangeInWords(view).replace(/^last /, ''),
    `${view.currency.toUpperCase()} · Quotient`,
  ].join(', ');

/** Marks the history entries that the page wrote. In these entries, a missing currency means US dollars. */
const WRITTEN = { quotient: true };
export const isWritten = () => history.state !== null;

export function showAddress(view: View, { isNew }: { isNew: boolean }): void {
  // The user may have opened another page since the view was selected.
  const isOther = (pageIn(location.hash) ?? 'prices') !== 'prices';
  const url = location.pathname + searchOf(view) + (isOther ? location.hash : '');
  const isShown = searchOf(view) === location.search;
  if (isNew && !isShown) history.pushState(WRITTEN, '', url);
  else if (!isShown || !isWritten()) history.replaceState(WRITTEN, '', url);
}
