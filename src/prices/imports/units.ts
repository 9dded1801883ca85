import type { Token } from '#catalogue/token';
import { isoDate, type Span, startOfDate } from '#core/clock';
import { type Currency, DOLLAR, type UsdRate } from '#prices/model/currency';
import { ImportFileError } from './csv-file.ts';
import { unitsOfFileName } from './file-name.ts';

/** The prices of two sources on the same date differ by less than this share. */
const TOLERANCE = 0.01;
/** The minimum number of common dates. Fewer dates prove nothing. */
const LEAST_DATES = 3;

/** A price per date (Unix ms of its midnight, UTC). */
export type PricesByDate = ReadonlyMap<number, number>;

/**
 * Collects, for each date, the price nearest to the midnight at which the date starts. The memory depends only on the
 * number of dates.
 */
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

/**
 * Returns the number of dates that two series have in common. If at least half of the ratios are on the same side of 1
 * by more than the tolerance, also returns the median ratio.
 */
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
