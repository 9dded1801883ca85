/** A currency by its code in lower case: `usd`, `eur`, `btc`. */
export type Currency = string;

/** The currency of every figure that is fetched and stored. */
export const DOLLAR: Currency = 'usd';
/** The currency of which reference rates tell how many units of another it buys. */
export const EURO: Currency = 'eur';

/** Tokens that figures can be told in, by their symbols: a unit is worth what the token's own samples say. */
const TOKEN_CURRENCIES: ReadonlyMap<Currency, string> = new Map([
  ['btc', 'bitcoin'],
  ['eth', 'ethereum'],
]);

/** The name of the token that a currency is; undefined for one of a country. */
export const tokenOfCurrency = (currency: Currency): string | undefined => TOKEN_CURRENCIES.get(currency);

/**
 * The currencies of the European Central Bank's reference rates since 2009, the US dollar and the euro left out. When
 * one of those that have ended did, the rates themselves say. Its service has other series too, of indicative rates: those are no
 * reference, and nothing in their rows tells them apart.
 */
const REFERENCE_CURRENCIES: readonly Currency[] = (
  'aud bgn brl cad chf cny czk dkk eek gbp hkd hrk huf idr ils inr isk jpy krw ltl lvl mxn myr nok nzd php pln ron rub ' +
  'sek sgd thb try zar'
).split(' ');

/** They have a history and no rate of today. */
const ENDED: ReadonlySet<Currency> = new Set(['bgn', 'eek', 'hrk', 'ltl', 'lvl', 'rub']);

/** Whether a currency has a history alone: its last rate is of the past. */
export const hasEnded = (currency: Currency): boolean => ENDED.has(currency);

const WITH_RATES: ReadonlySet<Currency> = new Set([DOLLAR, ...REFERENCE_CURRENCIES]);

/** Whether the rate of a currency is one that figures are converted with. */
export const hasReferenceRate = (currency: Currency): boolean => WITH_RATES.has(currency);

/** The currencies that figures can be told in, the dollar first; those of countries where there is a source of rates. */
export const servedCurrencies = (hasRates: boolean): readonly Currency[] => [
  DOLLAR,
  ...(hasRates ? [EURO] : []),
  ...TOKEN_CURRENCIES.keys(),
  ...(hasRates ? REFERENCE_CURRENCIES : []),
];

/** Units of a currency for one euro, as published for a date (Unix ms of its midnight, UTC). */
export type PublishedRate = { currency: Currency; date: number; rate: number };
