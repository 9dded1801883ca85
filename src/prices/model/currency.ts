export type Currency = string;

/** The currency of every fetched and stored figure. */
export const DOLLAR: Currency = 'usd';
/** The base of the reference rates. */
export const EURO: Currency = 'eur';

/** Tokens that serve as currencies, by symbol. The rate is the price in the token's own samples. */
const TOKEN_CURRENCIES: ReadonlyMap<Currency, string> = new Map([
  ['btc', 'bitcoin'],
  ['eth', 'ethereum'],
]);

export const tokenOfCurrency = (currency: Currency): string | undefined => TOKEN_CURRENCIES.get(currency);

/** The currencies with ECB reference rates since 2009. Rows do not show that other currencies' rates are indicative. */
const REFERENCE_CURRENCIES: readonly Currency[] = (
  'aud bgn brl cad chf cny czk dkk eek gbp hkd hrk huf idr ils inr isk jpy krw ltl lvl mxn myr nok nzd php pln ' +
  'ron rub sek sgd thb try zar'
).split(' ');

/** Currencies for which rates are no longer published. They have a history but no current rate. */
const ENDED: ReadonlySet<Currency> = new Set(['bgn', 'eek', 'hrk', 'ltl', 'lvl', 'rub']);
export const hasEnded = (currency: Currency): boolean => ENDED.has(currency);
const WITH_RATES: ReadonlySet<Currency> = new Set([DOLLAR, ...REFERENCE_CURRENCIES]);
export const hasReferenceRate = (currency: Currency): boolean => WITH_RATES.has(currency);

/** The supported currencies, the dollar first. National currencies other than the dollar require a source of rates. */
export const servedCurrencies = (hasRates: boolean): readonly Currency[] => [
  DOLLAR,
  ...(hasRates ? [EURO] : []),
  ...TOKEN_CURRENCIES.keys(),
  ...(hasRates ? REFERENCE_CURRENCIES : []),
];

/** The value of one unit of a currency at an instant (Unix ms), in US dollars. NaN if unknown. */
export type UsdRate = (at: number) => number;

/** Units of a currency per euro, as published for a date (Unix ms of its midnight, UTC). */
export type PublishedRate = { currency: Currency; date: number; rate: number };

const ISO_CODES: ReadonlySet<Currency> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));
/** Whether a text in lower case is the code of a national currency, or of a token that serves as a currency. */
export const isCurrencyCode = (text: string): boolean => ISO_CODES.has(text) || TOKEN_CURRENCIES.has(text);
