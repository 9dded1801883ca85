/*
 * Numbers and times as text, in the language of the page and in UTC.
 */

const SECOND = 1000;
const DAY = 86_400 * SECOND;

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const dollars = (options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', ...options });
const shortMoney = dollars({ notation: 'compact', minimumFractionDigits: 2, maximumFractionDigits: 2 });
const cents = dollars({});
const hundredthsOfCents = dollars({ minimumFractionDigits: 4 });
const smallest = dollars({ maximumFractionDigits: 8 });
const moneyWhole = dollars({ maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat('en-US', {
  style: 'percent',
  signDisplay: 'exceptZero',
  minimumFractionDigits: 2,
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
export const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const date = utc({ dateStyle: 'medium' });
const dateTime = utc({ dateStyle: 'medium', timeStyle: 'short' });
const time = utc({ timeStyle: 'short' });

/** Stands for an unknown value. */
export const UNKNOWN = '–';

/** Dollars with two decimals, or more for small prices. */
export function money(value: number): string {
  const size = Math.abs(value);
  return (size >= 10 || size === 0 ? cents : size >= 0.1 ? hundredthsOfCents : smallest).format(value);
}

/** Dollars on an axis: no cents from 1000 up. */
export const axisMoney = (value: number) =>
  Math.abs(value) < 1000 ? money(value) : moneyWhole.format(value);

/** Dollars in millions and billions. */
export const bigMoney = (value: number) =>
  Math.abs(value) < 10_000 ? money(value) : shortMoney.format(value);

export const count = (value: number) => plain.format(value);

/** A number of any size, from a fraction to a mining difficulty. */
export const number = (value: number) =>
  Math.abs(value) < 10_000_000 ? plain.format(value) : short.format(value);

/** A change as a fraction: `+2.10%`, with a minus sign as wide as the plus. */
export const change = (fraction: number) => percent.format(fraction).replace('-', '−');

export const onDate = (at: Date) => date.format(at);
export const onDateAt = (at: Date) => dateTime.format(at);
/** `10:42`, with the date if it is more than a day ago. */
export const at = (instant: Date, now: number) =>
  now - instant.getTime() < DAY ? time.format(instant) : dateTime.format(instant);

const UNITS = [
  ['day', DAY],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
] as const;

/** A duration in ms in the largest unit of which there are at least two. */
function inUnits(ms: number): [value: number, unit: (typeof UNITS)[number][0]] {
  const [unit, length] = UNITS.find(([, size]) => Math.abs(ms) >= 2 * size) ?? UNITS[3];
  return [Math.trunc(ms / length), unit];
}

/** `3 hours`. */
export function span(ms: number): string {
  const [value, unit] = inUnits(Math.max(0, ms));
  return `${count(value)} ${unit}${value === 1 ? '' : 's'}`;
}

/** `in 3 hours`, `3 hours ago`. */
export const fromNow = (instant: Date, now: number) => relative.format(...inUnits(instant.getTime() - now));
