import { SECOND } from '#core/clock';
import type { LatestRate } from '#prices/latest/latest-figures';
import { type Currency, hasEnded, tokenOfCurrency, type UsdRate } from '#prices/model/currency';

/** A currency of CoinGecko's API: `perUnit` of it are one unit of a currency of this service. */
export type QuoteCurrency = { code: string; base: Currency; perUnit: number };

const PARTS_OF_BITCOIN: readonly QuoteCurrency[] = [
  { code: 'bits', base: 'btc', perUnit: 1e6 },
  { code: 'sats', base: 'btc', perUnit: 1e8 },
];

/** The currencies with current rates, and the parts of a bitcoin, by code. */
export function quoteCurrencies(served: readonly Currency[]): ReadonlyMap<string, QuoteCurrency> {
  const whole = served.filter((code) => !hasEnded(code)).map((code) => ({ code, base: code, perUnit: 1 }));
  return new Map([...whole, ...PARTS_OF_BITCOIN].map((one) => [one.code, one]));
}

/** The value of a unit in US dollars. NaN if unknown. */
export type QuoteRate = {
  code: string;
  now: number;
  dayBefore: number;
  at: UsdRate;
  /** Whether extremes in this currency differ from those in dollars. */
  isToken: boolean;
};

/** The rates of some currencies, in their order, from the rates of their bases. */
export function quoteRates(currencies: readonly QuoteCurrency[], rates: readonly LatestRate[]): QuoteRate[] {
  return currencies.flatMap(({ code, base, perUnit }) => {
    const rate = rates.find(({ currency }) => currency === base);
    if (!rate) return [];
    const part = (usd: number) => usd / perUnit;
    return [
      {
        code,
        now: part(rate.now),
        dayBefore: part(rate.dayBefore),
        at: (at: number) => part(rate.at(at)),
        isToken: tokenOfCurrency(base) !== undefined,
      },
    ];
  });
}

export const basesOf = (currencies: readonly QuoteCurrency[]): Currency[] => [
  ...new Set(currencies.map(({ base }) => base)),
];

const CRYPTO: Readonly<Record<string, readonly [name: string, unit: string]>> = {
  btc: ['Bitcoin', 'BTC'],
  eth: ['Ether', 'ETH'],
  bits: ['Bits', 'μBTC'],
  sats: ['Satoshi', 'sats'],
};

const names = new Intl.DisplayNames('en', { type: 'currency' });

function symbolOf(code: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? code.toUpperCase();
}

/** The name, the unit and the type of a currency, as in `/exchange_rates`. */
export function describeCurrency(code: string): { name: string; unit: string; type: 'crypto' | 'fiat' } {
  const [name, unit] = CRYPTO[code] ?? [];
  if (name !== undefined && unit !== undefined) return { name, unit, type: 'crypto' };
  return { name: names.of(code.toUpperCase()) ?? code, unit: symbolOf(code), type: 'fiat' };
}

/** Unix seconds of an instant in Unix ms. */
export const seconds = (at: number): number => Math.floor(at / SECOND);
