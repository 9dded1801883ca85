import { z } from 'zod';
import { MINUTE } from '#core/clock';
import type { Sample } from '#prices/model/sample';
import type { FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { isOutlier, misplacedRows } from '#upstream/items/item-order';
import { countRejections, type Items, readItems } from '#upstream/items/items';
import { type Implausible, plausibleFigure } from '#upstream/items/plausible';
import { createJsonReader, maybe, NUMERIC, type ReportedError, whole } from '#upstream/transport/json-response';
import type { KeyFacts } from './coingecko-plans.ts';

/* CoinGecko v3's wire format: figures as strings, arrays of unequal length, and five error formats under any status. */
const UPSTREAM = 'coingecko';
/** A figure, or null if it is missing. Undefined for any other value. A number too large for a double is infinite. */
export function reported(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  const number = typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** The places of an error's code and text: at the top, in `status`, in `error`, and in `error.status`. */
const errorPlace = z.object({
  error_code: maybe(whole).catch(undefined),
  error_message: maybe(z.string()).catch(undefined),
  error: z.unknown().optional(),
  status: z.unknown().optional(),
});

/** The causes of CoinGecko's codes. They apply whatever the HTTP status is. */
const CAUSES: Readonly<Record<number, FailureCause>> = { 429: 'rate_limited', 1015: 'rate_limited' };
const BEYOND_TIME_RANGE = 10012;

export function namedReach({ message }: UpstreamFailure): number | undefined {
  const [, days] = /\bpast (\d{1,5}) days\b/.exec(message) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** The limits of the account's plan, or the key's own limits where they are lower. */
export const keyResponse = z
  .object({
    plan: z.string(),
    rate_limit_request_per_minute: whole,
    monthly_call_credit: whole,
    current_total_monthly_calls: whole,
    api_key_rate_limit_request_per_minute: maybe(whole),
    api_key_monthly_call_credit: maybe(whole),
    api_key_current_total_monthly_calls: maybe(whole),
  })
  .transform((reported): KeyFacts => {
    const ownCredit = reported.api_key_monthly_call_credit ?? reported.monthly_call_credit;
    const ownCalls = reported.api_key_current_total_monthly_calls ?? reported.current_total_monthly_calls;
    return {
      plan: reported.plan,
      perMinute: Math.min(
        reported.rate_limit_request_per_minute,
        reported.api_key_rate_limit_request_per_minute ?? Number.POSITIVE_INFINITY,
      ),
      perMonth: Math.min(reported.monthly_call_credit, ownCredit),
      left: Math.max(
        0,
        Math.min(reported.monthly_call_credit - reported.current_total_monthly_calls, ownCredit - ownCalls),
      ),
    };
  });

function errorIn(body: unknown, isHistory: boolean): ReportedError | undefined {
  const at = (value: unknown) => errorPlace.safeParse(value).data;
  const top = at(body);
  if (!top) return undefined;
  const within = at(top.error);
  const places = [top, at(top.status), within, at(within?.status)];
  // Responses of a proxy, and of services with the same format, report success as code 0 and an empty text.
  const code = places.find((place) => place?.error_code)?.error_code ?? undefined;
  const text = [top.error, ...places.map((place) => place?.error_message)].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  if (code === undefined && text === undefined) return undefined;
  const isBeyond = code === BEYOND_TIME_RANGE && isHistory;
  const cause = isBeyond ? 'out_of_reach' : code === undefined ? undefined : CAUSES[code];
  return { message: text ?? `code ${code}`, cause };
}

/** Only a request for history can be out of reach. For any other request, the same code means a refusal. */
export const createReader = (apiKey: string | undefined, { isHistory = false } = {}) =>
  createJsonReader(UPSTREAM, (body) => errorIn(body, isHistory), apiKey);

type Point = readonly [at: number, value: number | null];

function pointOf(value: unknown): Point | undefined {
  if (!Array.isArray(value) || value.length < 2 || !Number.isSafeInteger(value[0])) return undefined;
  const figure = reported(value[1]);
  return figure === undefined ? undefined : [value[0], figure];
}

/** Points are parsed later: a schema of tuples would take 60 ms for 15,000 points. Only prices are required. */
export const chartOf = (most: number) => {
  const column = z.array(z.unknown()).max(most);
  const optional = column.nullable().catch(null);
  return z.object({ prices: column, market_caps: optional, total_volumes: optional });
};
type Chart = z.infer<ReturnType<typeof chartOf>>;
const COLUMNS = [
  ['prices', 'price'],
  ['market_caps', 'marketCap'],
  ['total_volumes', 'volume'],
] as const;
type Reject = ReturnType<typeof countRejections>['reject'];

/** CoinGecko appends the newest sample. The newest sample can be up to this many ms older than the sample before it. */
const NEWEST_EARLIER = 5 * MINUTE;

/** Returns the points except those whose place in the array shows that they have another point's time. */
function ordered(points: readonly Point[], reject: Reject): readonly Point[] {
  const times = points.map(([at]) => at);
  const [newest = 0, previous = newest] = times.slice(-2).reverse();
  if (newest < previous && previous - newest <= NEWEST_EARLIER) times[times.length - 1] = previous;
  const misplaced = misplacedRows(times);
  if (misplaced.size === 0) return points;
  reject('out_of_order', misplaced.size);
  return points.filter((_point, place) => !misplaced.has(place));
}

/**
 * The samples of a chart. The arrays are matched by time, because their lengths may differ. Two different values of an
 * array for one time are dropped. A malformed point affects only itself.
 */
export function chartItems(chart: Chart, reasonAgainst: (sample: Sample) => Implausible | undefined): Items<Sample> {
  const { rejected, reject } = countRejections();
  const rows = new Map<number, Sample>();
  function accept<T>(items: Items<T>): readonly T[] {
    for (const [reason, count] of items.rejected) reject(reason, count);
    return items.accepted;
  }
  for (const [name, column] of COLUMNS) {
    const values = chart[name];
    if (!values && rows.size > 0) reject(`malformed ${name}`);
    const points = accept(readItems(values ?? [], { read: (value) => pointOf(value) ?? 'malformed' }));
    const valueAt = new Map<number, number | null>();
    for (const [at, value] of ordered(points, reject)) {
      const row = rows.get(at) ?? { at, price: null, marketCap: null, volume: null };
      const isContradictory = valueAt.has(at) && valueAt.get(at) !== value;
      if (isContradictory) reject('contradictory');
      row[column] = isContradictory ? null : column === 'price' ? value : plausibleFigure(value);
      valueAt.set(at, value);
      rows.set(at, row);
    }
  }
  const ascending = [...rows.values()].sort((a, b) => a.at - b.at);
  const prices = ascending.map(({ price }) => price);
  const read = ([place, sample]: [number, Sample]) => {
    const isFar = sample.price !== null && isOutlier(sample.price, prices, place);
    return reasonAgainst(sample) ?? (isFar ? 'price' : sample);
  };
  const accepted = accept(readItems(ascending.entries(), { read }));
  return { accepted: [...accepted], missing: [], rejected };
}
