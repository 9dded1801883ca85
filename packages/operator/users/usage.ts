import type { Usage } from '../../client/index.ts';
import { DAY } from '../../pages/dates.ts';
import { make, makeRow } from '../../pages/dom.ts';
import { count, inCalls, onDate } from '../../pages/format.ts';
import { isolated } from '../core/phrase.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { nameOfKey } from './words.ts';

const DAYS = 31;

type Days = OperatorUserDetail['daily'];
/** The calls on each of the last 31 UTC dates, oldest first; 0 for a date without calls. */
export function lastDays(daily: Days, now: number): Days {
  const calls = new Map(daily.map((day) => [day.date, day.calls]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = new Date(now - (DAYS - 1 - i) * DAY).toISOString().slice(0, 10);
    return { date, calls: calls.get(date) ?? 0 };
  });
}

const SVG = 'http://www.w3.org/2000/svg';
/** The size of the chart in its own units: a bar of 8 and a gap of 2 for each day. */
const HEIGHT = 60;
const STEP = 10;

/** A chart of bars. The policy of the page forbids styles in attributes, so the heights are those of an image. */
function chartOf(days: Days): SVGElement {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const chart = document.createElementNS(SVG, 'svg');
  chart.setAttribute('viewBox', `0 0 ${days.length * STEP} ${HEIGHT}`);
  chart.setAttribute('preserveAspectRatio', 'none');
  chart.setAttribute('class', 'day-chart');
  chart.setAttribute('aria-hidden', 'true');
  for (const [place, { calls }] of days.entries()) {
    const height = calls === 0 ? 1 : Math.max(3, (calls / most) * HEIGHT);
    const bar = document.createElementNS(SVG, 'rect');
    const box = { x: place * STEP, y: HEIGHT - height, width: STEP - 2, height };
    for (const [name, value] of Object.entries(box)) bar.setAttribute(name, String(value));
    bar.setAttribute('class', calls === 0 ? 'none' : 'some');
    chart.append(bar);
  }
  return chart;
}

const sumOf = (daily: Days) => daily.reduce((sum, { calls }) => sum + calls, 0);

function tableOf(title: string, head: string, rows: readonly (readonly [name: string, calls: number])[]): HTMLElement {
  const sorted = rows.toSorted(([, one], [, other]) => other - one);
  const headRow = make(
    'tr',
    {},
    make('th', { scope: 'col' }, head),
    make('th', { scope: 'col', class: 'num' }, 'Calls'),
  );
  const body = sorted.map(([name, calls]) => makeRow([isolated(name)], [count(calls), 'num']));
  const table = make('table', { 'aria-label': title }, make('thead', {}, headRow), make('tbody', {}, ...body));
  return make('details', { open: '' }, make('summary', {}, title), table);
}

/** The calls of the last 31 days, by day, key and path. */
export function usagePanel(
  { daily, apiKeys }: OperatorUserDetail,
  { keys = [] }: Usage,
  { paths = [] }: Usage,
  now: number,
): HTMLElement {
  const days = lastDays(daily, now);
  const [first, last] = [days.at(0), days.at(-1)];
  const ends = [first, last].map((day) => make('span', {}, day ? onDate(new Date(day.date)) : ''));
  const dates = days.toReversed().map(({ date, calls }) => makeRow([onDate(new Date(date))], [count(calls), 'num']));
  const head = make(
    'tr',
    {},
    make('th', { scope: 'col' }, 'Date'),
    make('th', { scope: 'col', class: 'num' }, 'Calls'),
  );
  const table = make('table', { 'aria-label': 'Calls per day' }, make('thead', {}, head), make('tbody', {}, ...dates));
  const byKey = keys.map(({ id, label, start, calls }): [string, number] => {
    if (id === null) return ['Not recorded', calls];
    const key = apiKeys.find((one) => one.id === id);
    if (key) return [nameOfKey(key), calls];
    return [`${label ?? `Key ${id}`}${start === null ? '' : ` ${start}…`}`, calls];
  });
  const byPath = paths.map(({ path, calls }): [string, number] => [path ?? 'Not recorded', calls]);
  return make(
    'section',
    { class: 'panel', 'aria-labelledby': 'usage-title' },
    make('div', { class: 'head' }, make('h2', { id: 'usage-title' }, 'Calls of the last 31 days')),
    make('p', { class: 'soft' }, `${inCalls(sumOf(days))}.`),
    chartOf(days),
    make('p', { class: 'soft daily-ends', 'aria-hidden': 'true' }, ...ends),
    make('details', {}, make('summary', {}, 'By day'), table),
    ...(byKey.length > 0 ? [tableOf('By key', 'Key', byKey)] : []),
    ...(byPath.length > 0 ? [tableOf('By path', 'Path', byPath)] : []),
  );
}
