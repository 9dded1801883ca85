/*
 * How figures and instants are written: in the page's own language, so that words and numbers go together. UTC.
 */

const SECOND = 1000;
const DAY = 86_400 * SECOND;

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const shortMoney = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percent = new Intl.NumberFormat('en-US', {
  style: 'percent',
  signDisplay: 'exceptZero',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const moneyWith = [2, 4, 8].map(
  (digits) =>
    new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: digits === 8 ? 2 : digits,
      maximumFractionDigits: digits,
    }),
);
const moneyWhole = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dateTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** What is written where there is no figure. */
export const NOTHING = '–';

/** Dollars to the cent, or finer where a cent is much. */
export function money(value: number): string {
  const size = Math.abs(value);
  const formatter = moneyWith[size >= 10 || size === 0 ? 0 : size >= 0.1 ? 1 : 2];
  return (formatter ?? shortMoney).format(value);
}

/** Dollars beside an axis, where the steps are wide. */
export const axisMoney = (value: number) =>
  Math.abs(value) < 1000 ? money(value) : moneyWhole.format(value);

/** Dollars in millions and billions. */
export const bigMoney = (value: number) =>
  Math.abs(value) < 10_000 ? money(value) : shortMoney.format(value);

export const count = (value: number) => plain.format(value);

/** A figure that may be anything, from a fraction to a difficulty. */
export const figure = (value: number) =>
  Math.abs(value) < 10_000_000 ? plain.format(value) : short.format(value);

/** The change from one figure to another, as a share of the first: `+2.10%`, with a minus as wide as the plus. */
export const change = (share: number) => percent.format(share).replace('-', '−');

export const onDate = (at: Date) => date.format(at);
export const onDateAt = (at: Date) => dateTime.format(at);
/** `10:42`, or the date too where it was another day. */
export const at = (instant: Date, now: number) =>
  now - instant.getTime() < DAY ? time.format(instant) : dateTime.format(instant);

const UNITS = [
  ['day', DAY],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
] as const;

/** `3 hours`: how long so many ms are, to the unit that matters. */
export function span(ms: number): string {
  const [unit, length] = UNITS.find(([, long]) => ms >= 2 * long) ?? UNITS[3];
  const value = Math.max(0, Math.floor(ms / length));
  return `${count(value)} ${unit}${value === 1 ? '' : 's'}`;
}

/** `in 3 hours`, `3 hours ago`. */
export function fromNow(instant: Date, now: number): string {
  const ms = instant.getTime() - now;
  const [unit, length] = UNITS.find(([, long]) => Math.abs(ms) >= 2 * long) ?? UNITS[3];
  return relative.format(Math.trunc(ms / length), unit);
}
