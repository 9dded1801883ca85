import type { Usage } from '../../client/index.ts';
import { dayBars, lastDays } from '../../pages/dates.ts';
import { make, softText } from '../../pages/dom.ts';
import { count, inCalls, onDate } from '../../pages/format.ts';
import { isolated } from '../../pages/phrase.ts';
import { makeRow, makeTable } from '../../pages/table.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { nameOfKey } from './words.ts';

type Days = OperatorUserDetail['daily'];

const CALLS = ['Calls', 'num'] as const;
const sumOf = (daily: Days) => daily.reduce((sum, { calls }) => sum + calls, 0);

function tableOf(title: string, head: string, rows: readonly (readonly [name: string, calls: number])[]): HTMLElement {
  const sorted = rows.toSorted(([, one], [, other]) => other - one);
  const body = sorted.map(([name, calls]) => makeRow([isolated(name)], [count(calls), 'num']));
  return make('details', { open: '' }, make('summary', {}, title), makeTable(title, [[head], CALLS], ...body));
}

/** The calls of the last 31 days, by day, key and path. */
export function usagePanel(
  { daily, apiKeys }: OperatorUserDetail,
  { keys = [] }: Usage,
  { paths = [] }: Usage,
  now: number,
): HTMLElement {
  const days = lastDays(daily, now);
  const first = days.at(0);
  const last = days.at(-1);
  const ends = [first, last].map((day) => make('span', {}, day ? onDate(new Date(day.date)) : ''));
  const dates = days.toReversed().map(({ date, calls }) => makeRow([onDate(new Date(date))], [count(calls), 'num']));
  const table = makeTable('Calls per day', [['Date'], CALLS], ...dates);
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
    softText(`${inCalls(sumOf(days))}.`),
    make('div', { class: 'daily', 'aria-hidden': 'true' }, ...dayBars(days)),
    make('p', { class: 'soft daily-ends', 'aria-hidden': 'true' }, ...ends),
    make('details', {}, make('summary', {}, 'By day'), table),
    ...(byKey.length > 0 ? [tableOf('By key', 'Key', byKey)] : []),
    ...(byPath.length > 0 ? [tableOf('By path', 'Path', byPath)] : []),
  );
}
