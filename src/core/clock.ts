/**
 * The time, handed to whoever needs it: nothing below `serve.ts` reads the system's clock in passing.
 * `now` is wall time in Unix milliseconds; `elapsed` is monotonic, in milliseconds from an arbitrary start.
 */
export type Clock = { now(): number; elapsed(): number };

/** One moment on both clocks, for whoever asks about it more than once: to read a clock takes time itself. */
export type Instant = { wall: number; elapsed: number };

export const instantOf = (clock: Clock): Instant => ({ wall: clock.now(), elapsed: clock.elapsed() });

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The start of the UTC date in which an instant lies, both in Unix ms. */
export const startOfDate = (instant: number) => Math.floor(instant / DAY) * DAY;

/** An instant (Unix ms) in ISO 8601, UTC, with milliseconds. */
export const iso = (instant: number) => new Date(instant).toISOString();

export const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant));

/** The UTC date of an instant (Unix ms), as YYYY-MM-DD. */
export const isoDate = (instant: number) => iso(instant).slice(0, 10);

/** `2026-11-21` for a midnight (UTC), `2026-11-21 13:05:00` otherwise: spreadsheets take both for times. */
export function spreadsheetTime(instant: number): string {
  const text = iso(instant);
  return instant % DAY === 0 ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

const UNITS = { h: HOUR, d: DAY } as const;

/** Reads `36h` or `400d`, in ms; undefined for another form. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** From one instant through another, both included, in whole Unix milliseconds. */
export type Span = { readonly from: number; readonly thru: number };

/** The same instants as ascending, disjoint spans with something between each two. */
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

/** The parts of a span that none of the others holds, ascending. */
export function without(span: Span, others: readonly Span[]): Span[] {
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

/** What two spans share, if anything. */
export function overlap(a: Span, b: Span): Span | undefined {
  const shared = { from: Math.max(a.from, b.from), thru: Math.min(a.thru, b.thru) };
  return shared.from <= shared.thru ? shared : undefined;
}
