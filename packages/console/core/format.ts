import { byId } from './dom.ts';
import { openStored } from './storage.ts';

export const DEFAULT_CURRENCY = 'usd';

export function openCurrency() {
  const select = byId('currency', HTMLSelectElement);
  const stored = openStored('localStorage', 'quotient:currency');
  const listeners: (() => void)[] = [];
  const isOffered = (code: string) => [...select.options].some(({ value }) => value === code);

  function preferred(): string {
    const code = stored.read() ?? DEFAULT_CURRENCY;
    return isOffered(code) ? code : DEFAULT_CURRENCY;
  }
  select.value = preferred();
  select.addEventListener('change', () => {
    stored.write(select.value);
    for (const listener of listeners) listener();
  });

  return {
    get code(): string {
      return select.value;
    },
    preferred,
    isOffered,
    /** Selects the currency that a URL requests, without storing the choice. */
    show(code: string): void {
      select.value = code;
    },
    onChange: (listener: () => void) => void listeners.push(listener),
  };
}

export type Currency = ReturnType<typeof openCurrency>;

/* Formats numbers and times as text, in English and UTC. */

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat('en-US', {
  style: 'percent',
  signDisplay: 'exceptZero',
  minimumFractionDigits: 2,
});
const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
export const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const date = utc({ dateStyle: 'medium' });
const dateTime = utc({ dateStyle: 'medium', timeStyle: 'short' });
const time = utc({ timeStyle: 'short' });
export const UNKNOWN = '–';

export const orUnknown = <T>(value: T | null, format: (value: T) => string) =>
  value === null ? UNKNOWN : format(value);

const formats = new Map<string, Intl.NumberFormat>();

function inCurrency(currency: string, name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${currency} ${name}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...options });
  formats.set(key, made);
  return made;
}

/** Formats a price in a currency (`usd`, `btc`). Smaller prices get more decimals. */
export function money(value: number, currency: string): string {
  const size = Math.abs(value);
  if (size >= 1000 || size === 0) return inCurrency(currency, 'whole', {}).format(value);
  if (size >= 10) return inCurrency(currency, 'cents', twoDecimals).format(value);
  if (size >= 0.1) return inCurrency(currency, 'fine', { minimumFractionDigits: 4 }).format(value);
  if (size >= 0.0001) return inCurrency(currency, 'small', { maximumFractionDigits: 8 }).format(value);
  // Scientific notation (1.234E-10), because ten zeros are unreadable.
  const notation = size < 1e-8 ? 'scientific' : 'standard';
  return inCurrency(currency, notation, { notation, maximumSignificantDigits: 4 }).format(value);
}

export const axisAmount = (
  value: number,
  currency: string,
  notation: 'standard' | 'compact' | 'scientific',
  decimals: number,
) => {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return inCurrency(currency, `axis ${notation} ${decimals}`, { notation, ...digits }).format(value);
};

export const bigMoney = (value: number, currency: string) =>
  Math.abs(value) < 10_000
    ? money(value, currency)
    : inCurrency(currency, 'big', { notation: 'compact', ...twoDecimals }).format(value);

export const count = (value: number) => plain.format(value);
export const inCalls = (calls: number) => `${count(calls)} ${calls === 1 ? 'call' : 'calls'}`;
export const number = (value: number) => (Math.abs(value) < 10_000_000 ? plain.format(value) : short.format(value));

/** Formats a fraction as `+2.10%`. The minus sign is as wide as the plus sign. */
export const change = (fraction: number) => percent.format(fraction).replace('-', '−');
export const onDate = (at: Date) => date.format(at);
export const onDateAt = (at: Date) => dateTime.format(at);
const INSTANT = /\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?/g;
export const withDates = (text: string) =>
  text.replace(INSTANT, (written, time) => {
    const instant = new Date(written);
    if (Number.isNaN(instant.getTime())) return written;
    return time === undefined ? onDate(instant) : onDateAt(instant);
  });
/** Formats a time as `10:42`, with the date if the time is at least a day ago. */
export const at = (instant: Date, now: number) =>
  now - instant.getTime() < DAY ? time.format(instant) : dateTime.format(instant);

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
