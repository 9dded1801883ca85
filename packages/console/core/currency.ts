import { signal } from '@preact/signals';
import { numbers } from '../../pages/format.ts';
import { openStored } from '../../pages/session/storage.ts';

export const DEFAULT_CURRENCY = 'usd';

/** `codes` are the currencies that the service offers. */
export function openCurrency(codes: readonly string[]) {
  const stored = openStored('localStorage', 'quotient:currency');
  const isOffered = (code: string) => codes.includes(code);

  function preferred(): string {
    const code = stored.read() ?? DEFAULT_CURRENCY;
    return isOffered(code) ? code : DEFAULT_CURRENCY;
  }
  const selected = signal(preferred());

  return {
    codes,
    /** The selected currency, such as `eur`. Reads a signal, so that components and effects can follow it. */
    get code(): string {
      return selected.value;
    },
    preferred,
    isOffered,
    /** Selects the currency that a URL requests, without storing the choice. */
    show(code: string): void {
      selected.value = code;
    },
    /** Selects and stores the user's choice. */
    choose(code: string): void {
      selected.value = code;
      stored.write(code);
    },
  };
}

export type Currency = ReturnType<typeof openCurrency>;

const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const formatsByKey = new Map<string, Intl.NumberFormat>();

/** Without a currency, formats a number. */
function inCurrency(currency: string | undefined, name: string, options: Intl.NumberFormatOptions) {
  const key = `${currency} ${name}`;
  const cachedFormat = formatsByKey.get(key);
  if (cachedFormat) return cachedFormat;
  const format = numbers({ ...(currency === undefined ? {} : { style: 'currency', currency }), ...options });
  formatsByKey.set(key, format);
  return format;
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

/** Formats an amount without decimals. */
export const roundMoney = (value: number, currency: string) =>
  inCurrency(currency, 'round', { maximumFractionDigits: 0 }).format(value);

export const axisAmount = (
  value: number,
  currency: string | undefined,
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
