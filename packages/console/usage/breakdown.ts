import type { ApiKey, Usage } from '../../client/index.ts';
import type { CsvField } from '../../pages/csv.ts';
import { lastDays } from '../../pages/dates.ts';
import { count, onDate } from '../../pages/format.ts';
import { distinctNameOf } from '../keys/words.ts';

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

const NOT_RECORDED = 'Not recorded';

type KeyRow = Part & { id: number | null; name: string; start: string | null; dailyLimit: number | null };

/** The keys with calls, and the other keys that the account lists. `listed` is empty if the key cannot list them. */
function keyRows(used: readonly UsageOfKey[], listed: readonly ApiKey[]): KeyRow[] {
  const rows = used.map(({ id, label, start, calls, daily }): KeyRow => {
    const key = listed.find((one) => one.id === id);
    const unknown = id === null ? NOT_RECORDED : (label ?? (start === null ? `Key ${id}` : `${start}…`));
    return { id, name: key ? distinctNameOf(key) : unknown, start, dailyLimit: key?.dailyLimit ?? null, calls, daily };
  });
  const others = listed.filter(({ id }) => !used.some((one) => one.id === id));
  return [
    ...rows.toSorted((a, b) => b.calls - a.calls),
    ...others.map((key) => ({ ...key, name: distinctNameOf(key), calls: 0, daily: [] })),
  ];
}

export type UsageTable = {
  /** The first column names the row. All others are numbers. */
  heads: readonly string[];
  rows: readonly { name: string; limit?: number | null; values: readonly string[] }[];
};

const SPANS = ['Today', '7 days', '31 days'] as const;

export function usageTable(by: UsageBy, usage: Usage, listed: readonly ApiKey[], now: number): UsageTable {
  if (by === 'day') {
    const days = lastDays(usage.daily, now).toReversed();
    const rows = days.map(({ date, calls }) => ({ name: onDate(new Date(date)), values: [count(calls)] }));
    return { heads: ['Date', 'Calls'], rows };
  }
  if (by === 'path') {
    const paths = (usage.paths ?? []).toSorted((a, b) => b.calls - a.calls);
    const rows = paths.map((part) => ({ name: part.path ?? NOT_RECORDED, values: spansOf(part, now).map(count) }));
    return { heads: ['Path', ...SPANS], rows };
  }
  const keys = keyRows(usage.keys ?? [], listed);
  const rows = keys.map((key) => ({ name: key.name, limit: key.dailyLimit, values: spansOf(key, now).map(count) }));
  return { heads: ['Key', ...SPANS], rows };
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
