import { z } from 'zod';
import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE, SECOND } from '#core/clock';
import type { Candle } from '#prices/model/candle';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { createJsonReader, NUMERIC, numeric, type ReportedError } from '#upstream/transport/json-answer';

/* Kraken's wire format: always HTTP 200, errors next to the result, figures as strings, the result by pair name. */
export const UPSTREAM = 'kraken' as const;

/** The maximum number of accepted rows. Kraken returns at most 721. */
const MOST_ROWS = 2000;
/** The largest Unix second that a `Date` can represent. */
const LAST_SECOND = 8.64e12;

/** The causes by the start of the error. Any other error is `refused`. */
const CAUSES: readonly (readonly [RegExp, FailureCause])[] = [
  [/^EQuery:(Unknown|Invalid) asset pair/, 'not_listed'],
  [/^(EGeneral:Too many requests|EGeneral:Temporary lockout|EAPI:Rate limit exceeded)/, 'rate_limited'],
  [/^(EService:|EGeneral:Internal error)/, 'server_error'],
];

const errorAnswer = z.object({ error: z.array(z.string()) });

/** Errors begin with E. Other entries are warnings next to a result. */
function errorIn(body: unknown): ReportedError | undefined {
  const errors = errorAnswer.safeParse(body).data?.error.filter((one) => one.startsWith('E')) ?? [];
  if (errors.length === 0) return undefined;
  const known = CAUSES.find(([beginning]) => errors.some((one) => beginning.test(one)));
  return { message: errors.join('; '), cause: known?.[1] };
}

export const read = createJsonReader(UPSTREAM, errorIn);

/** The names of a pair: Kraken's own name, and the newer name, which consists of symbols (`BTC/USD`). */
export type PairNames = readonly string[];
const resultOf = <T extends z.ZodType>(schema: T) => z.object({ result: schema });

/** A number too large for a double becomes infinite. */
function figureOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : undefined;
}

/** `[time, open, high, low, close, vwap, volume, count]`. Undefined for any other value. */
function candleOf(row: unknown): Candle | undefined {
  if (!Array.isArray(row)) return undefined;
  const [time, ...figures] = row as unknown[];
  const [open, high, low, close, , volume] = figures.slice(0, 6).map(figureOf);
  if (!Number.isInteger(time) || (time as number) < 0 || (time as number) > LAST_SECOND) return undefined;
  if (open === undefined || high === undefined || low === undefined) return undefined;
  if (close === undefined || volume === undefined) return undefined;
  return { at: (time as number) * SECOND, open, high, low, close, volume };
}

/** `rows` include the unfinished candle. `last` is the start of the newest finished candle (Unix ms). */
type Ohlc = { rows: Candle[]; last: number };

/** The candles of one pair. A schema of tuples would take several milliseconds for 721 rows. */
export const ohlcOf = (names: PairNames) =>
  resultOf(z.looseObject({ last: z.int().nonnegative().max(LAST_SECOND) })).transform(({ result }, context): Ohlc => {
    const issue = (path: (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path: ['result', ...path], message });
      return z.NEVER;
    };
    const name = names.find((one) => Object.hasOwn(result, one));
    const reported = name === undefined ? undefined : result[name];
    if (name === undefined || !Array.isArray(reported)) return issue([], `has no candles of ${names[0]}`);
    if (reported.length > MOST_ROWS) return issue([name], `has more than ${MOST_ROWS} rows`);
    const rows: Candle[] = [];
    for (const [place, row] of reported.entries()) {
      const candle = candleOf(row);
      if (!candle) return issue([name, place], 'is not a candle');
      rows.push(candle);
    }
    return { rows, last: result.last * SECOND };
  });

const lastTrade = z.object({ c: z.tuple([numeric]).rest(z.unknown()) });

/** The price of each pair's last trade. Other pairs in the response are ignored. */
export const tickerOf = (pairs: readonly PairNames[]) =>
  resultOf(z.record(z.string(), z.unknown())).transform(({ result }, context) => {
    const prices: (number | undefined)[] = [];
    for (const names of pairs) {
      const name = names.find((one) => Object.hasOwn(result, one));
      const { data, error } = name === undefined ? {} : lastTrade.safeParse(result[name]);
      if (error) {
        context.addIssue({ code: 'custom', path: ['result', name ?? ''], message: 'has no last trade' });
        return z.NEVER;
      }
      prices.push(data?.c[0]);
    }
    return prices;
  });

const assetPair = z.object({
  altname: z.string().optional(),
  wsname: z.string().optional(),
  status: z.string().optional(),
});

export type ListedPair = {
  /** Kraken's own name, then others: `XXBTZUSD`, `XBTUSD`, `XBT/USD`. */
  names: readonly [string, ...string[]];
  status: string;
};

/** Every pair by Kraken's own name. Older responses have no status; their pairs count as online. */
export const assetPairs = resultOf(z.record(z.string(), assetPair)).transform(
  ({ result }): ReadonlyMap<string, ListedPair> =>
    new Map(
      Object.entries(result).map(([name, { altname, wsname, status = 'online' }]) => {
        const others = [altname, wsname].filter((one) => one !== undefined);
        return [name, { names: [name, ...others], status }];
      }),
    ),
);

/** How long a list of pairs is used, and the delay before a retry after a failure, in ms. */
const RELIED_ON = HOUR;
const TRIED_AGAIN = 5 * MINUTE;

/** Causes that do not show whether the pairs are traded or Kraken is available. */
const INCONCLUSIVE: ReadonlySet<FailureCause> = new Set(['refused', 'not_json', 'unexpected', 'empty', 'too_large']);

/** A token whose pair is not traded. `status` is Kraken's term, or `gone` if Kraken no longer lists the pair. */
export type UntradedPair = { token: TokenName; pair: string; status: string };
type IsTraded = (one: Pick<UntradedPair, 'token' | 'pair'>) => boolean;
type RequestPairs = () => Promise<ReadonlyMap<string, ListedPair>>;

type Dependencies = {
  clock: Clock;
  /** Called once for each excluded pair, and again when its status changes. */
  untraded: (pair: UntradedPair) => void;
};

/** The pairs that Kraken trades now, according to its own list. */
export function createTradedPairs({ clock, untraded }: Dependencies) {
  const reportedOf = new Map<TokenName, string>();
  let listed: ReadonlyMap<string, ListedPair> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  /** On failure, the last list remains valid. Without a list, every pair counts as traded if Kraken responds. */
  async function check(requestPairs: RequestPairs): Promise<void> {
    try {
      listed = await requestPairs();
      dueAt = clock.elapsed() + RELIED_ON;
    } catch (error) {
      const answered = error instanceof UpstreamFailure && INCONCLUSIVE.has(error.reason);
      if (!listed && !answered) throw error;
      dueAt = clock.elapsed() + TRIED_AGAIN;
    }
  }

  const isTraded: IsTraded = ({ token, pair }) => {
    const status = listed ? (listed.get(pair)?.status ?? 'gone') : 'online';
    if (status !== 'online' && reportedOf.get(token) !== status) untraded({ token, pair, status });
    reportedOf.set(token, status);
    return status === 'online';
  };

  /** Requests the list when it is due, once for all concurrent callers. */
  return async function tradedPairs(requestPairs: RequestPairs): Promise<IsTraded> {
    if (clock.elapsed() >= dueAt) {
      checking ??= check(requestPairs).finally(() => {
        checking = undefined;
      });
      await checking;
    }
    return isTraded;
  };
}
