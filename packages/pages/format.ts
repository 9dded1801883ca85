/* Formats numbers and times in the formats of the browser's locale, in UTC. Sentences around them are in English. */

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** Some systems report names that `Intl` rejects, such as `en-US@posix`. */
function isLocale(name: string): boolean {
  try {
    return new Intl.Locale(name).language !== '';
  } catch {
    return false;
  }
}
const LOCALES = navigator.languages.filter(isLocale);

export const numbers = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(LOCALES, options);
/** Whether the locale's decimal separator is a comma. */
export const HAS_DECIMAL_COMMA = numbers({}).format(0.5).includes(',');
const plain = numbers({ maximumFractionDigits: 2 });
const short = numbers({ notation: 'compact', maximumFractionDigits: 2 });
const percent = numbers({
  style: 'percent',
  signDisplay: 'exceptZero',
  minimumFractionDigits: 2,
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
export const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(LOCALES, { ...options, timeZone: 'UTC' });
const date = utc({ dateStyle: 'medium' });
const dateTime = utc({ dateStyle: 'medium', timeStyle: 'short' });
const dateTimeSecond = utc({ dateStyle: 'medium', timeStyle: 'medium' });
const time = utc({ timeStyle: 'short' });
export const UNKNOWN = '–';

export const orUnknown = <T>(value: T | null, format: (value: T) => string) =>
  value === null ? UNKNOWN : format(value);

export const count = (value: number) => plain.format(value);
export const inCalls = (calls: number) => `${count(calls)} ${calls === 1 ? 'call' : 'calls'}`;
export const number = (value: number) => (Math.abs(value) < 10_000_000 ? plain.format(value) : short.format(value));

/** Formats a fraction, such as `+2.10%`. The minus sign is as wide as the plus sign. */
export const change = (fraction: number) => percent.format(fraction).replace('-', '−');
export const onDate = (at: Date) => date.format(at);
export const onDateAt = (at: Date) => dateTime.format(at);
export const onTime = (at: Date) => time.format(at);
export const onDateAtSecond = (at: Date) => dateTimeSecond.format(at);
const INSTANT = /\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?/g;
export const withDates = (text: string) =>
  text.replace(INSTANT, (written, time) => {
    const instant = new Date(written);
    if (Number.isNaN(instant.getTime())) return written;
    return time === undefined ? onDate(instant) : onDateAt(instant);
  });
/** Formats a time, such as `10:42`, with the date if the time is at least a day ago. */
export const at = (instant: Date, now: number) => (now - instant.getTime() < DAY ? onTime(instant) : onDateAt(instant));

const UNITS = [
  ['day', DAY],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
] as const;

/** Uses the largest unit in which the value is at least two. */
function inUnits(ms: number): [value: number, unit: (typeof UNITS)[number][0]] {
  const [unit, length] = UNITS.find(([, size]) => Math.abs(ms) >= 2 * size) ?? UNITS[3];
  return [Math.trunc(ms / length), unit];
}

export function span(ms: number): string {
  const [value, unit] = inUnits(Math.max(0, ms));
  return `${count(value)} ${unit}${value === 1 ? '' : 's'}`;
}

export const fromNow = (instant: Date, now: number) => relative.format(...inUnits(instant.getTime() - now));
