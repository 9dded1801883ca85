export type DateRange = { from: string; thru: string };

const dateOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Common ranges of dates in UTC, from `first` (YYYY-MM-DD) to today. A range without a date is left out. */
export function datePresets(first: string, now: number): [label: string, range: DateRange][] {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const day = today.getUTCDate();
  const spans: [string, string, string][] = [
    ['Yesterday', dateOf(year, month, day - 1), dateOf(year, month, day - 1)],
    ['This month', dateOf(year, month, 1), dateOf(year, month + 1, 0)],
    ['Last month', dateOf(year, month - 1, 1), dateOf(year, month, 0)],
    ['This year', dateOf(year, 0, 1), dateOf(year, 11, 31)],
    ['Last year', dateOf(year - 1, 0, 1), dateOf(year - 1, 11, 31)],
  ];
  const last = dateOf(year, month, day);
  return spans
    .map(([label, from, thru]): [string, DateRange] => [
      label,
      { from: from < first ? first : from, thru: thru > last ? last : thru },
    ])
    .filter(([, { from, thru }]) => from <= thru);
}
