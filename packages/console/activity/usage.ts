import type { ApiKey, Usage } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { type CsvField, csvText } from '../../pages/csv.ts';
import { isoDate, lastDays } from '../../pages/dates.ts';
import { buttonGroup, byId } from '../../pages/dom.ts';
import { saveFile } from '../../pages/download.ts';
import { count, onDate } from '../../pages/format.ts';
import { notLoaded, type OnError, toError } from '../../pages/problem.ts';
import { headCells, makeNamedRow } from '../../pages/table.ts';
import type { Session } from '../api/session.ts';
import { nameOf } from '../keys/words.ts';

const CHOICES = [
  ['day', 'By day'],
  ['key', 'By key'],
  ['path', 'By path'],
] as const;

/** Shows the calls by day, key or path. All requests are free. */
export function openUsage(session: Session, onError: OnError) {
  const head = byId('usage-head');
  const body = byId('usage-body');
  const problem = byId('usage-problem');
  const save = byId('usage-csv', HTMLButtonElement);
  let by: UsageBy = 'day';
  /** The usage by day, which the page reads again after its calls. */
  let whole: Usage | undefined;
  let shown: Usage | undefined;
  let listed: readonly ApiKey[] = [];

  const rowOf = ([name = '', ...numbers]: readonly string[]) =>
    makeNamedRow(name, ...numbers.map((text) => [text, 'num'] as const));

  function show(usage: Usage | undefined): void {
    shown = usage;
    save.disabled = usage === undefined;
    const { heads, rows } = usage ? usageTable(by, usage, listed, serviceNow()) : { heads: [], rows: [] };
    head.replaceChildren(...headCells(heads.map((text, place) => [text, place === 0 ? '' : 'num'])));
    body.replaceChildren(...rows.map(rowOf));
  }

  async function load(): Promise<void> {
    if (!whole) return;
    if (by === 'day') {
      problem.replaceChildren();
      return show(whole);
    }
    const { client } = session;
    const wanted = by;
    const isOver = () => client !== session.client || wanted !== by;
    try {
      const usage = await client.usage({ by: wanted });
      if (isOver()) return;
      problem.replaceChildren();
      show(usage);
    } catch (thrown) {
      if (!isOver()) onError(toError(thrown), problem, load, shown !== undefined);
    }
  }

  const choices = buttonGroup(byId('usage-by'), CHOICES, (selected) => {
    by = selected;
    choices.select(by);
    show(undefined);
    void load();
  });
  choices.select(by);

  save.addEventListener('click', () => {
    if (!shown) return;
    const now = serviceNow();
    const name = `quotient-usage-by-${by}-${isoDate(now)}.csv`;
    saveFile(name, new Blob([csvText(usageRows(by, shown, listed, now))], { type: 'text/csv' }));
  });

  return {
    /** Shows the usage that the page has read, or the calls by key or path at that time. Undefined if it failed. */
    update(usage: Usage | undefined): void {
      whole = usage ?? whole;
      if (whole) void load();
      else problem.replaceChildren(notLoaded());
    },
    /** The keys of the account, with their limits. Empty if the key cannot list them. */
    setKeys(keys: readonly ApiKey[]): void {
      listed = keys;
      if (shown && by === 'key') show(shown);
    },
  };
}

export type UsageBy = 'day' | 'key' | 'path';

type Daily = Usage['daily'];
type UsageOfKey = NonNullable<Usage['keys']>[number];
type Part = { calls: number; daily: Daily };

const WEEK = 7;

const sumOf = (days: Daily) => days.reduce((sum, { calls }) => sum + calls, 0);

/** The calls of today, of the last 7 days and of the last 31 days. */
function spansOf({ daily }: Part, now: number): [today: number, week: number, month: number] {
  const days = lastDays(daily, now);
  return [sumOf(days.slice(-1)), sumOf(days.slice(-WEEK)), sumOf(days)];
}

export const NOT_RECORDED = 'Not recorded';

type KeyRow = Part & { id: number | null; name: string; start: string | null; dailyLimit: number | null };

/** The keys with calls, and the other keys that the account lists. `listed` is empty if the key cannot list them. */
export function keyRows(used: readonly UsageOfKey[], listed: readonly ApiKey[]): KeyRow[] {
  const rows = used.map(({ id, label, start, calls, daily }): KeyRow => {
    const key = listed.find((one) => one.id === id);
    const unknown = id === null ? NOT_RECORDED : (label ?? (start === null ? `Key ${id}` : `${start}…`));
    return { id, name: key ? nameOf(key) : unknown, start, dailyLimit: key?.dailyLimit ?? null, calls, daily };
  });
  const others = listed.filter(({ id }) => !used.some((one) => one.id === id));
  return [
    ...rows.toSorted((a, b) => b.calls - a.calls),
    ...others.map((key) => ({ ...key, name: nameOf(key), calls: 0, daily: [] })),
  ];
}

export type UsageTable = {
  /** The first column names the row. All others are numbers. */
  heads: readonly string[];
  rows: readonly (readonly string[])[];
};

const SPANS = ['Today', '7 days', '31 days'] as const;
const limitInWords = (limit: number | null) => (limit === null ? 'none' : count(limit));

export function usageTable(by: UsageBy, usage: Usage, listed: readonly ApiKey[], now: number): UsageTable {
  if (by === 'day') {
    const days = lastDays(usage.daily, now).toReversed();
    return { heads: ['Date', 'Calls'], rows: days.map(({ date, calls }) => [onDate(new Date(date)), count(calls)]) };
  }
  if (by === 'path') {
    const paths = (usage.paths ?? []).toSorted((a, b) => b.calls - a.calls);
    const rows = paths.map((part) => [part.path ?? NOT_RECORDED, ...spansOf(part, now).map(count)]);
    return { heads: ['Path', ...SPANS], rows };
  }
  const keys = keyRows(usage.keys ?? [], listed);
  const hasLimits = listed.length > 0;
  const rows = keys.map((key) => [
    key.name,
    ...(hasLimits ? [limitInWords(key.dailyLimit)] : []),
    ...spansOf(key, now).map(count),
  ]);
  return { heads: ['Key', ...(hasLimits ? ['Daily limit'] : []), ...SPANS], rows };
}

/**
 * One line for each date with calls and each key or path, oldest first. If `by` is `day`, dates without calls have a
 * line too.
 */
export function usageRows(by: UsageBy, usage: Usage, listed: readonly ApiKey[], now: number): readonly CsvField[][] {
  if (by === 'day') return [['date', 'calls'], ...lastDays(usage.daily, now).map(({ date, calls }) => [date, calls])];
  const byDate = (rows: (readonly [date: string, ...CsvField[]])[]) =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map((row) => [...row]);
  if (by === 'path') {
    const rows = (usage.paths ?? []).flatMap(({ path, daily }) =>
      daily.map(({ date, calls }) => [date, path, calls] as const),
    );
    return [['date', 'path', 'calls'], ...byDate(rows)];
  }
  const rows = keyRows(usage.keys ?? [], listed).flatMap(({ id, name, start, dailyLimit, daily }) =>
    daily.map(({ date, calls }) => [date, id, name, start, dailyLimit, calls] as const),
  );
  return [['date', 'key_id', 'key', 'start', 'daily_limit', 'calls'], ...byDate(rows)];
}
