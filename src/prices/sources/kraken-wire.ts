import { z } from 'zod';
import { SECOND } from '#core/clock';
import type { Candle } from '#prices/model/candle';
import type { FailureCause } from '#upstream/failures/failure';
import { readMembers } from '#upstream/items/items';
import { createJsonReader, numberOrNumericString, type ReportedError, whole } from '#upstream/transport/json-response';
import { candleOf, LAST_SECOND } from './candle-rows.ts';
import type { ListedPair, PairNames } from './listed-pairs.ts';

/** Kraken's status is always 200, errors stand next to the result, and the result is keyed by pair name. */
export const KRAKEN = 'kraken';

/** The maximum number of accepted rows. Kraken returns at most 721. */
const MAX_ROWS = 2000;

/** The causes by the start of the error. Any other error is `refused`. */
const CAUSES: readonly (readonly [RegExp, FailureCause])[] = [
  [/^EQuery:(Unknown|Invalid) asset pair/, 'not_listed'],
  [/^(EGeneral:Too many requests|EGeneral:Temporary lockout|EAPI:Rate limit exceeded)/, 'rate_limited'],
  [/^(EService:|EGeneral:Internal error)/, 'server_error'],
];
/** Errors with which Kraken reports that it is unavailable as a whole, such as during maintenance. */
const OF_KRAKEN = /^EService:/;

const errorResponse = z.object({ error: z.array(z.string()) });

/** Errors begin with `E`. Other entries are warnings, which can accompany a result. */
function errorIn(body: unknown): ReportedError | undefined {
  const errors = errorResponse.safeParse(body).data?.error.filter((text) => text.startsWith('E')) ?? [];
  if (errors.length === 0) return undefined;
  const match = CAUSES.find(([beginning]) => errors.some((text) => beginning.test(text)));
  return {
    message: errors.join('; '),
    cause: match?.[1],
    isOfSource: errors.some((text) => OF_KRAKEN.test(text)),
  };
}

export const read = createJsonReader(KRAKEN, errorIn);

const resultOf = <T extends z.ZodType>(schema: T) => z.object({ result: schema });

/** `[time, open, high, low, close, vwap, volume, count]`. The figures are strings, but the time is a number. */
export function candleOfRow(row: unknown): Candle | undefined {
  if (!Array.isArray(row) || typeof row[0] !== 'number') return undefined;
  const [time, open, high, low, close, , volume]: unknown[] = row;
  return candleOf(time, open, high, low, close, volume);
}

/** `rows` include the unfinished candle. `last` is the start of the newest finished candle (Unix ms). */
export type Ohlc = { rows: readonly unknown[]; last: number };

/** The rows of one pair, which `candleOf` parses: a schema of tuples would take several milliseconds for 721 rows. */
export const ohlcOf = (names: PairNames) =>
  resultOf(z.looseObject({ last: whole.pipe(z.number().max(LAST_SECOND)) })).transform(({ result }, context): Ohlc => {
    const issue = (path: (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path: ['result', ...path], message });
      return z.NEVER;
    };
    const name = names.find((name) => Object.hasOwn(result, name));
    const rows = name === undefined ? undefined : result[name];
    if (name === undefined || !Array.isArray(rows)) return issue([], `has no candles of ${names[0]}`);
    if (rows.length > MAX_ROWS) return issue([name], `has more than ${MAX_ROWS} rows`);
    return { rows, last: result.last * SECOND };
  });

/** A response whose items are keyed by pair name. */
export const itemsByPair = resultOf(z.record(z.string(), z.unknown())).transform(({ result }) => result);

const lastTrade = z.object({ c: z.tuple([numberOrNumericString]).rest(z.unknown()) });
/** The price of a pair's last trade. Undefined if malformed. */
export const lastPriceOf = (item: unknown): number | undefined => lastTrade.safeParse(item).data?.c[0];

const PAIR = { altname: z.string(), wsname: z.string(), status: z.string() };

/** Pairs of names that Kraken uses for the same asset. Kraken has started to use the second name in responses. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^XBT\//, 'BTC/'],
  [/^XDG\//, 'DOGE/'],
];

/**
 * Parses an item of the list of pairs. Kraken's own name comes first: `XXBTZUSD`, `XBTUSD`, `XBT/USD`, `BTC/USD`. Pairs
 * without a status, as in older responses, are online.
 */
export function readPair(
  [name, item]: readonly [string, unknown],
  nulled: (member: string) => void,
): ListedPair | 'malformed' {
  if (typeof item !== 'object' || item === null) return 'malformed';
  const { altname, wsname, status } = readMembers(item, PAIR, nulled);
  const renamed = RENAMED.flatMap(([before, after]) =>
    wsname && before.test(wsname) ? wsname.replace(before, after) : [],
  );
  return {
    names: [name, ...[altname, wsname, ...renamed].filter((text) => text !== null)],
    status: status ?? 'online',
  };
}
