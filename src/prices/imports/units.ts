import { basename } from 'node:path';
import type { Token } from '#catalogue/token';
import { isoDate, type Span, startOfDate } from '#core/clock';
import { type Currency, DOLLAR, EURO, hasReferenceRate, isCurrencyCode, type UsdRate } from '#prices/model/currency';
import { ImportFileError } from './csv-file.ts';

const KRAKEN_SYMBOLS: Readonly<Record<string, string>> = { xbt: 'btc', xdg: 'doge' };
/** Currency codes that are also English words. They count only where an export writes the currency. */
const WORDS: ReadonlySet<string> = new Set(['try']);
/** `btc-eur-max.csv` from CoinGecko. */
const COINGECKO = /^[^-]+-([a-z]{3})-(?:max|\d)/;
/** `bitcoin-2026-01-01-2026-01-31-eur.csv` from this service. */
const OWN = /\d{4}-\d\d-\d\d-([a-z]{3})(?: ?\(\d+\))?$/;

type NamedUnits = { token: Token | undefined; currency: Currency | undefined };

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

/** The token with which a file name begins, where `own` takes precedence, and the currency that the name contains. */
function unitsOfFileName(path: string, own: Token, tokens: readonly Token[]): NamedUnits {
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
  const codes = [...placed.filter((code) => code !== undefined).filter(isCurrencyCode), ...anywhere];
  return { token, currency: codes.find((code) => code !== DOLLAR) ?? codes[0] };
}

/** The prices of two sources on the same date differ by less than this share. */
const TOLERANCE = 0.01;
/** The minimum number of common dates. Fewer dates prove nothing. */
const LEAST_DATES = 3;

/** A price per date (Unix ms of its midnight, UTC). */
type PricesByDate = ReadonlyMap<number, number>;

/** Collects the price nearest to the start of each date. The memory depends only on the number of dates. */
export function createDailyPrices() {
  const days = new Map<number, { at: number; price: number }>();
  return {
    add(at: number, price: number | null): void {
      const date = startOfDate(at);
      const day = days.get(date);
      if (price !== null && (!day || at < day.at)) days.set(date, { at, price });
    },
    prices: (): PricesByDate => new Map([...days].map(([date, { price }]) => [date, price])),
    span(): Span | undefined {
      const dates = [...days.keys()].sort((a, b) => a - b);
      const [from] = dates;
      return from === undefined ? undefined : { from, thru: dates.at(-1) ?? from };
    },
  };
}

/** The number of common dates, and the median ratio if half of the ratios differ from 1 on the same side. */
export function compare(imported: PricesByDate, stored: PricesByDate): { dates: number; factor: number | undefined } {
  const ratios = [...imported].flatMap(([date, price]) => {
    const other = stored.get(date);
    return other === undefined ? [] : [price / other];
  });
  ratios.sort((a, b) => a - b);
  const at = (share: number) => ratios[Math.floor(share * (ratios.length - 1))] as number;
  const isEvident = ratios.length >= LEAST_DATES;
  const differs = isEvident && (at(0.25) > 1 + TOLERANCE || at(0.75) < 1 - TOLERANCE);
  return { dates: ratios.length, factor: differs ? at(0.5) : undefined };
}

export const inDollars = (prices: PricesByDate, usdRate: UsdRate | undefined): PricesByDate =>
  usdRate ? new Map([...prices].map(([date, price]) => [date, price * usdRate(date)])) : prices;

type File = { path: string; currency?: Currency | undefined };
type Request = { token: Token; tokens: readonly Token[]; currency: Currency | undefined; isForced: boolean };

/** Throws `ImportFileError` if the file names another token, or a currency without the matching `--currency`. */
export function assertNamedUnits({ path, currency: column }: File, { token, tokens, currency, isForced }: Request) {
  const named = unitsOfFileName(path, token, tokens);
  if (named.token && named.token.name !== token.name && !isForced)
    throw new ImportFileError(`${path} names ${named.token.name}: import it for this token, or use --force`);
  const stated = column ?? (currency === undefined ? named.currency : undefined);
  if (stated !== undefined && stated !== (currency ?? DOLLAR))
    throw new ImportFileError(`${path} names the currency ${stated}: use --currency ${stated}, or correct the name`);
  return { isNamed: named.token !== undefined && (currency ?? column ?? named.currency) !== undefined };
}

/** Throws `ImportFileError` if the prices, in US dollars, differ from the stored prices by a constant factor. */
export function assertSameUnits(path: string, token: Token, imported: PricesByDate, stored: PricesByDate): number {
  const { dates, factor } = compare(imported, stored);
  if (factor === undefined) return dates;
  throw new ImportFileError(
    `${path}: the prices are ${Number(factor.toPrecision(2))} times the stored prices of ${token.name} (${dates} dates): ` +
      `check the token, name the currency with --currency, or use --force`,
  );
}

/** Throws `ImportFileError` if a date has no rate. */
export function assertRates(path: string, currency: Currency, dates: Iterable<number>, usdRate: UsdRate): void {
  const missing = [...dates].filter((date) => Number.isNaN(usdRate(date)));
  const [first] = missing;
  if (first === undefined) return;
  const more = missing.length > 1 ? ` and ${missing.length - 1} more dates` : '';
  throw new ImportFileError(
    `${path}: no rate of ${currency} is stored for ${isoDate(first)}${more}: request a history in ${currency} from the service, which then fetches the rates`,
  );
}

export const enoughDates = (dates: number): boolean => dates >= LEAST_DATES;
