/** Wall time in Unix milliseconds; any clock of the service is one. */
export type Clock = { now(): number };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The start of the UTC date in which an instant lies, both in Unix ms. */
export const startOfDate = (instant: number) => Math.floor(instant / DAY) * DAY;

/** An instant (Unix ms) in ISO 8601, UTC, with milliseconds. */
export const iso = (instant: number) => new Date(instant).toISOString();

/** The UTC date of an instant (Unix ms), as YYYY-MM-DD. */
export const isoDate = (instant: number) => iso(instant).slice(0, 10);
