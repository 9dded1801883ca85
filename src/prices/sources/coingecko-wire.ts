import { z } from 'zod';
import type { Sample } from '#prices/model/sample';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import {
  createJsonReader,
  listOf,
  maybe,
  NUMERIC,
  numeric,
  type ReportedError,
  whole,
} from '#upstream/transport/json-answer';
import type { KeyFacts } from './coingecko-plans.ts';

/* CoinGecko v3's wire format: figures as strings, arrays of unequal length, and five error formats under any status. */
const UPSTREAM = 'coingecko';
export const figure = numeric.nullish().transform((value) => value ?? null);
/** A figure, or null if missing. Undefined for any other value. A number too large for a double becomes infinite. */
function reported(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  const number = typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** A figure whose size never invalidates the rest of the response. */
const anyFigure = z
  .custom((value) => reported(value) !== undefined, 'is not a figure')
  .optional()
  .transform((value) => reported(value) ?? null);

type Point = readonly [at: number, value: number | null];

function pointOf(value: unknown): Point | undefined {
  if (!Array.isArray(value) || value.length < 2 || !Number.isSafeInteger(value[0])) return undefined;
  const figure = reported(value[1]);
  return figure === undefined ? undefined : [value[0], figure];
}

/** A schema of tuples would take about 60 ms for a chart's fifteen thousand points. */
const columnOf = (most: number) =>
  z
    .array(z.unknown())
    .max(most)
    .transform((values, context): readonly Point[] => {
      const points: Point[] = [];
      for (const value of values) {
        const point = pointOf(value);
        if (!point) {
          context.addIssue({ code: 'custom', path: [points.length], message: 'is not a time with a figure' });
          return z.NEVER;
        }
        points.push(point);
      }
      return points;
    });

export const chartOf = (most: number) => {
  const column = columnOf(most);
  return z.object({ prices: column, market_caps: column, total_volumes: column });
};
type Chart = z.infer<ReturnType<typeof chartOf>>;

const isoDate = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((value) => value ?? null);

const market = z.object({
  id: z.string(),
  current_price: anyFigure,
  market_cap: anyFigure,
  total_volume: anyFigure,
  circulating_supply: figure,
  total_supply: figure,
  max_supply: figure,
  ath: figure,
  ath_change_percentage: figure,
  ath_date: isoDate,
  atl: figure,
  atl_change_percentage: figure,
  atl_date: isoDate,
  last_updated: isoDate,
});

export const marketsOf = (most: number) => listOf(market, most);
export type Market = z.infer<typeof market>;

/** The error formats: a text; a status object, bare or under `error`; a code next to a message. */
const statusShape = z.object({ error_code: z.number().optional(), error_message: z.string().optional() });
const errorAnswer = z.object({
  error: z.union([z.string(), z.object({ status: statusShape })]).optional(),
  status: statusShape.optional(),
  error_code: z.number().optional(),
});

const BEYOND_TIME_RANGE = 10012;
const CAUSES: Readonly<Record<number, FailureCause>> = { 429: 'rate_limited', [BEYOND_TIME_RANGE]: 'out_of_reach' };

export function namedReach({ message }: UpstreamFailure): number | undefined {
  const [, days] = /\bpast (\d{1,5}) days\b/.exec(message) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** The limits of the account's plan, or the key's own limits where they are lower. */
export const keyAnswer = z
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

function errorIn(body: unknown): ReportedError | undefined {
  const { data } = errorAnswer.safeParse(body);
  if (!data) return undefined;
  const status = data.status ?? (typeof data.error === 'object' ? data.error.status : undefined);
  const code = status?.error_code ?? data.error_code;
  const message = typeof data.error === 'string' ? data.error : status?.error_message;
  if (code === undefined && message === undefined) return undefined;
  return { message: message ?? `code ${code}`, cause: code === undefined ? undefined : CAUSES[code] };
}

export const createReader = (apiKey: string | undefined) => createJsonReader(UPSTREAM, errorIn, apiKey);

/**
 * Matches the three arrays by time, because their lengths may differ. If a time occurs twice in an array, the later
 * value counts. Throws if the chart is empty.
 */
export function chartSamples(chart: Chart): Sample[] {
  const rows = new Map<number, Sample>();
  const fill = (points: readonly Point[], name: 'price' | 'marketCap' | 'volume') => {
    for (const [at, value] of points) {
      const row = rows.get(at) ?? { at, price: null, marketCap: null, volume: null };
      row[name] = value;
      rows.set(at, row);
    }
  };
  fill(chart.prices, 'price');
  fill(chart.market_caps, 'marketCap');
  fill(chart.total_volumes, 'volume');
  if (rows.size === 0) throw new UpstreamFailure(UPSTREAM, 'empty', 'a chart without points');
  return [...rows.values()].sort((a, b) => a.at - b.at);
}
