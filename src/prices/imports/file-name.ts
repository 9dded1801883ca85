import { basename } from 'node:path';
import type { Token } from '#catalogue/token';
import { type Currency, DOLLAR, EURO, hasReferenceRate, isCurrencyCode } from '#prices/model/currency';

/** Kraken's names of assets in its files. */
const KRAKEN_SYMBOLS: Readonly<Record<string, string>> = { xbt: 'btc', xdg: 'doge' };
/**
 * Currency codes that are also English words. They count as a currency only in the place where an export writes the
 * currency.
 */
const WORDS: ReadonlySet<string> = new Set(['try']);
/** `btc-eur-max.csv` from CoinGecko. */
const COINGECKO = /^[^-]+-([a-z]{3})-(?:max|\d)/;
/** `bitcoin-2026-01-01-2026-01-31-eur.csv` from this service. */
const OWN = /\d{4}-\d\d-\d\d-([a-z]{3})(?: ?\(\d+\))?$/;

export type NamedUnits = { token: Token | undefined; currency: Currency | undefined };

/** The rest of a text after a token's name, its symbol or Kraken's symbol for it. The longest match counts. */
function matchOf(text: string, { name, symbol, pairs }: Token): { length: number; rest: string } {
  const kraken = Object.keys(KRAKEN_SYMBOLS).filter((key) => KRAKEN_SYMBOLS[key] === symbol);
  const starts = [
    name,
    symbol,
    ...kraken,
    ...Object.values(pairs).map((pair) => pair.toLowerCase().replace(/-?z?usd$/, '')),
  ];
  const isWhole = (rest: string) =>
    /^([^a-z0-9]|$)/.test(rest) || isCurrencyCode(/^z?([a-z]{3})(?![a-z])/.exec(rest)?.[1] ?? '');
  const found = starts.filter((start) => text.startsWith(start) && isWhole(text.slice(start.length)));
  const length = Math.max(0, ...found.map((start) => start.length));
  return { length, rest: text.slice(length) };
}

/**
 * The token with which a file name begins, and the currency that it names. `own`, the token of the import, takes
 * precedence over other tokens with the same symbol.
 */
export function unitsOfFileName(path: string, own: Token, tokens: readonly Token[]): NamedUnits {
  const text = basename(path)
    .toLowerCase()
    .replace(/\.[a-z]+$/, '');
  let token: Token | undefined;
  let best = { length: 0, rest: text };
  for (const candidate of [own, ...tokens]) {
    const match = matchOf(text, candidate);
    if (match.length <= best.length) continue;
    token = candidate;
    best = match;
  }
  const pair = /^z?([a-z]{3})(?![a-z])/.exec(best.rest)?.[1];
  const placed = [best.length > 0 ? pair : undefined, COINGECKO.exec(text)?.[1], OWN.exec(text)?.[1]];
  const isNational = (code: string) => code === EURO || hasReferenceRate(code);
  const anywhere = best.rest.split(/[^a-z0-9]+/).filter((code) => isNational(code) && !WORDS.has(code));
  const codes = [...placed.filter((code) => code !== undefined && isCurrencyCode(code)), ...anywhere] as Currency[];
  return { token, currency: codes.find((code) => code !== DOLLAR) ?? codes[0] };
}
