import { z } from 'zod';
import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE, SECOND } from '#core/clock';
import type { Candle } from '#prices/model/candle';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { createJsonReader, NUMERIC, numeric, type ToldError } from '#upstream/transport/json-answer';

/*
 * Kraken's public REST API as it is on the wire: everything under HTTP 200, errors as a list beside the result, figures
 * as texts, the result under the pair's name. Nothing else reads its JSON.
 */
export const UPSTREAM = 'kraken' as const;

/** More rows than any answer has: 721 are told at most. */
const MOST_ROWS = 2000;
/** The end of time, in Unix seconds: the last moment a date can be made of. */
const LAST_SECOND = 8.64e12;

/** What its errors mean to us, by how they begin; any other is a refusal. */
const CAUSES: readonly (readonly [RegExp, FailureCause])[] = [
  [/^EQuery:(Unknown|Invalid) asset pair/, 'not_listed'],
  [/^(EGeneral:Too many requests|EGeneral:Temporary lockout|EAPI:Rate limit exceeded)/, 'rate_limited'],
  [/^(EService:|EGeneral:Internal error)/, 'server_error'],
];

const errorAnswer = z.object({ error: z.array(z.string()) });

/** What begins with E is an error; the others are warnings beside a result. */
function errorIn(body: unknown): ToldError | undefined {
  const errors = errorAnswer.safeParse(body).data?.error.filter((one) => one.startsWith('E')) ?? [];
  if (errors.length === 0) return undefined;
  const known = CAUSES.find(([beginning]) => errors.some((one) => beginning.test(one)));
  return { message: errors.join('; '), cause: known?.[1] };
}

/** The body of an answer in the shape that is wanted; throws `UpstreamFailure`. */
export const read = createJsonReader(UPSTREAM, errorIn);

/** The names under which a pair is told: its own, and the newer one of its symbols (`BTC/USD`). */
export type PairNames = readonly string[];

const resultOf = <T extends z.ZodType>(schema: T) => z.object({ result: schema });

/** A figure, also one that is too large to be held: that one is infinite. */
function figureOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : undefined;
}

/** `[time, open, high, low, close, vwap, volume, count]`; undefined for anything else. */
function candleOf(row: unknown): Candle | undefined {
  if (!Array.isArray(row)) return undefined;
  const [time, ...figures] = row as unknown[];
  const [open, high, low, close, , volume] = figures.slice(0, 6).map(figureOf);
  if (!Number.isInteger(time) || (time as number) < 0 || (time as number) > LAST_SECOND) return undefined;
  if (open === undefined || high === undefined || low === undefined) return undefined;
  if (close === undefined || volume === undefined) return undefined;
  return { at: (time as number) * SECOND, open, high, low, close, volume };
}

/** `rows`: the candles as they came, the running one too; `last`: the beginning of the newest finished one (Unix ms). */
type Ohlc = { rows: Candle[]; last: number };

/** The candles of one pair. Of 721 rows a schema of tuples would take some milliseconds. */
export const ohlcOf = (names: PairNames) =>
  resultOf(z.looseObject({ last: z.int().nonnegative().max(LAST_SECOND) })).transform(({ result }, context): Ohlc => {
    const issue = (path: (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path: ['result', ...path], message });
      return z.NEVER;
    };
    const name = names.find((one) => Object.hasOwn(result, one));
    const told = name === undefined ? undefined : result[name];
    if (name === undefined || !Array.isArray(told)) return issue([], `has no candles of ${names[0]}`);
    if (told.length > MOST_ROWS) return issue([name], `has more than ${MOST_ROWS} rows`);
    const rows: Candle[] = [];
    for (const [place, row] of told.entries()) {
      const candle = candleOf(row);
      if (!candle) return issue([name, place], 'is no candle');
      rows.push(candle);
    }
    return { rows, last: result.last * SECOND };
  });

const lastTrade = z.object({ c: z.tuple([numeric]).rest(z.unknown()) });

/** The price of the last trade of each pair that is told; what is told of others is not looked at. */
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

/** A pair as the venue's list has it. */
export type ListedPair = {
  /** Its own name, then others: `XXBTZUSD`, `XBTUSD`, `XBT/USD`. */
  names: readonly [string, ...string[]];
  /** `online` where it is traded. */
  status: string;
};

/** Every pair, by its own name; in answers of before there was a status all are online. */
export const assetPairs = resultOf(z.record(z.string(), assetPair)).transform(
  ({ result }): ReadonlyMap<string, ListedPair> =>
    new Map(
      Object.entries(result).map(([name, { altname, wsname, status = 'online' }]) => {
        const others = [altname, wsname].filter((one) => one !== undefined);
        return [name, { names: [name, ...others], status }];
      }),
    ),
);

/** How long a list of the venue's pairs is relied on, and how soon it is asked for again where it could not be had. In ms. */
const RELIED_ON = HOUR;
const TRIED_AGAIN = 5 * MINUTE;

/** An answer that tells nothing of the pairs, and nothing of whether the venue can be asked. */
const TELLS_NOTHING: ReadonlySet<FailureCause> = new Set(['refused', 'not_json', 'unexpected', 'empty', 'too_large']);

/** A token whose pair is not traded now: `status` is the venue's word for it, `gone` where it has no such pair. */
export type LeftOut = { token: TokenName; pair: string; status: string };

/** Whether the pair of a token is traded now. */
type IsTraded = (one: Pick<LeftOut, 'token' | 'pair'>) => boolean;

type AskPairs = () => Promise<ReadonlyMap<string, ListedPair>>;

type Dependencies = {
  clock: Clock;
  /** Told once of each pair that is left out, and again when its status is another. */
  leftOut: (pair: LeftOut) => void;
};

/** Which pairs are traded at the venue now, by its own list of them. */
export function createTradedPairs({ clock, leftOut }: Dependencies) {
  const toldOf = new Map<TokenName, string>();
  let listed: ReadonlyMap<string, ListedPair> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  /** Where the list cannot be had, the last one stands; where there was none, every pair does, if the venue answers. */
  async function check(askPairs: AskPairs): Promise<void> {
    try {
      listed = await askPairs();
      dueAt = clock.elapsed() + RELIED_ON;
    } catch (error) {
      const answered = error instanceof UpstreamFailure && TELLS_NOTHING.has(error.reason);
      if (!listed && !answered) throw error;
      dueAt = clock.elapsed() + TRIED_AGAIN;
    }
  }

  const isTraded: IsTraded = ({ token, pair }) => {
    const status = listed ? (listed.get(pair)?.status ?? 'gone') : 'online';
    if (status !== 'online' && toldOf.get(token) !== status) leftOut({ token, pair, status });
    toldOf.set(token, status);
    return status === 'online';
  };

  /** Tells whether a pair is traded; asks for the list when its time has come, once for all who wait for it. */
  return async function tradedPairs(askPairs: AskPairs): Promise<IsTraded> {
    if (clock.elapsed() >= dueAt) {
      checking ??= check(askPairs).finally(() => {
        checking = undefined;
      });
      await checking;
    }
    return isTraded;
  };
}
