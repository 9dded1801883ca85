/** `now` is in Unix ms; `elapsed` is in monotonic ms. Clocks are dependencies, except in `serve.ts` and commands. */
export type Clock = { now(): number; elapsed(): number };
/** The same instant on both clocks. It is passed along, because reading a clock takes time. */
export type Instant = { wall: number; elapsed: number };
export const instantOf = (clock: Clock): Instant => ({ wall: clock.now(), elapsed: clock.elapsed() });
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The start of the UTC date that contains an instant. Both are in Unix ms. */
export const startOfDate = (instant: number) => Math.floor(instant / DAY) * DAY;
export const iso = (instant: number) => new Date(instant).toISOString();
export const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant));
/** A row whose instants are in Unix ms. */
export type InMs<Row> = {
  [Name in keyof Row]: Row[Name] extends Date ? number : Row[Name] extends Date | null ? number | null : Row[Name];
};
export const inMs = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.getTime() : value]),
  ) as InMs<Row>;
/** The first and the last instant whose year has four digits, in Unix ms. The database does not read other years. */
export const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
export const LAST_INSTANT = Date.UTC(10_000, 0) - 1;
export function latestOf(instants: Iterable<number | null | undefined>): number | null {
  let latest: number | null = null;
  for (const at of instants) if (at !== null && at !== undefined && (latest === null || at > latest)) latest = at;
  return latest;
}
export const isoDate = (instant: number) => iso(instant).slice(0, 10);

/** Midnight (UTC) as `2026-11-21`, and other times as `2026-11-21 13:05:00`, which spreadsheets recognize. */
export function spreadsheetTime(instant: number): string {
  const text = iso(instant).slice(0, 19).replace('T', ' ');
  return text.endsWith(' 00:00:00') ? text.slice(0, 10) : text;
}

const UNITS = { h: HOUR, d: DAY } as const;

/** Parses `36h` or `400d` to ms. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** A span in whole Unix ms, including both ends. */
export type Span = { readonly from: number; readonly thru: number };

/** Merges spans that overlap or touch. Returns them in ascending order. */
export function union(spans: readonly Span[]): Span[] {
  const ascending = spans.filter(({ from, thru }) => from <= thru).sort((a, b) => a.from - b.from);
  const merged: Span[] = [];
  for (const span of ascending) {
    const last = merged.at(-1);
    if (last && span.from <= last.thru + 1) {
      merged[merged.length - 1] = { from: last.from, thru: Math.max(last.thru, span.thru) };
    } else {
      merged.push(span);
    }
  }
  return merged;
}

/** The parts of a span that no other span covers, in ascending order. */
export function subtractSpans(span: Span, others: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let from = span.from;
  for (const other of union(others)) {
    if (other.thru < from) continue;
    if (other.from > span.thru) break;
    if (other.from > from) rest.push({ from, thru: other.from - 1 });
    from = other.thru + 1;
  }
  if (from <= span.thru) rest.push({ from, thru: span.thru });
  return rest;
}

export function overlap(a: Span, b: Span): Span | undefined {
  const shared = { from: Math.max(a.from, b.from), thru: Math.min(a.thru, b.thru) };
  return shared.from <= shared.thru ? shared : undefined;
}

/** A length of time for people, rounded up: `1 second`, `10 seconds`. */
export function secondsInWords(ms: number): string {
  const seconds = Math.ceil(ms / SECOND);
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}
