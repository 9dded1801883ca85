import { z } from 'zod';
import type { Sample } from '../domain/sample.ts';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import type { UpstreamAnswer } from './upstream.ts';

/*
 * CoinGecko v3 as it is on the wire: numbers that come as strings, arrays of unequal length, the newest sample
 * ahead of the one before it, and errors in five shapes under any status. Nothing else reads its JSON.
 */
const UPSTREAM = 'coingecko';

const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/)
    .transform(Number),
]);
const figure = number.nullish().transform((value) => value ?? null);
/** Unix ms, as far as a date can be made of it. */
const time = z.int().min(0).max(8.64e15);
const column = z.array(z.tuple([time, figure]).rest(z.unknown()));

export const chartAnswer = z.object({ prices: column, market_caps: column, total_volumes: column });

const isoDate = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((value) => value ?? null);

export const marketsAnswer = z.array(
  z.object({
    id: z.string(),
    current_price: figure,
    market_cap: figure,
    total_volume: figure,
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
  }),
);
export type Market = z.infer<typeof marketsAnswer>[number];

/** The error shapes: a text; a status object, bare or under `error`; a code beside a message. */
const statusShape = z.object({
  error_code: z.number().optional(),
  error_message: z.string().optional(),
});
const errorAnswer = z.object({
  error: z.union([z.string(), z.object({ status: statusShape })]).optional(),
  status: statusShape.optional(),
  error_code: z.number().optional(),
});

function errorIn(body: unknown): { code: number | undefined; message: string } | undefined {
  const { data } = errorAnswer.safeParse(body);
  if (!data) return undefined;
  const status = data.status ?? (typeof data.error === 'object' ? data.error.status : undefined);
  const code = status?.error_code ?? data.error_code;
  const message = typeof data.error === 'string' ? data.error : status?.error_message;
  return code === undefined && message === undefined
    ? undefined
    : { code, message: message ?? `code ${code}` };
}

const BEYOND_TIME_RANGE = 10012;

function causeOf(status: number, code: number | undefined): FailureCause {
  if (status === 429 || code === 429) return 'rate_limited';
  if (code === BEYOND_TIME_RANGE) return 'out_of_reach';
  return status >= 500 ? 'server_error' : 'refused';
}

/** Seconds of a `Retry-After`, which is a number or an HTTP-date. */
function retryAfter(headers: UpstreamAnswer['headers'], now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The body of an answer in the shape that is wanted. Throws `UpstreamFailure` for everything else: an error under
 * any status (also 200), a page where JSON belongs, JSON cut short, JSON of another shape.
 */
export function readAnswer<T>(schema: z.ZodType<T>, answer: UpstreamAnswer, now: number): T {
  const fail = (cause: FailureCause, message: string) =>
    new UpstreamFailure(UPSTREAM, cause, message, { retryAfter: retryAfter(answer.headers, now) });

  const body = parseJson(answer.text);
  const error = errorIn(body);
  const isPage = body === undefined && /^\s*</.test(answer.text);
  const isEdgeLimit = isPage && /\b1015\b/.test(answer.text);
  if (answer.status !== 200 || error || isEdgeLimit) {
    const cause = isEdgeLimit ? 'rate_limited' : causeOf(answer.status, error?.code);
    throw fail(cause, `status ${answer.status}: ${error?.message ?? 'no message'}`);
  }
  if (body === undefined) {
    throw fail('not_json', isPage ? 'a page where JSON belongs' : 'JSON cut short or broken');
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw fail('unexpected', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  return parsed.data;
}

/**
 * A chart as samples, ascending, one for each instant: the three arrays are matched by their times, since they may
 * differ in length, and of two figures of the same instant the later in the answer stays. Throws when it is empty.
 */
export function chartSamples(chart: z.infer<typeof chartAnswer>): Sample[] {
  const rows = new Map<number, Sample>();
  const fill = (points: z.infer<typeof column>, name: 'price' | 'marketCap' | 'volume') => {
    for (const [at, value] of points) {
      const row = rows.get(at) ?? { at, price: null, marketCap: null, volume: null };
      row[name] = value;
      rows.set(at, row);
    }
  };
  fill(chart.prices, 'price');
  fill(chart.market_caps, 'marketCap');
  fill(chart.total_volumes, 'volume');
  if (rows.size === 0) throw new UpstreamFailure(UPSTREAM, 'empty', 'a chart without a point');
  return [...rows.values()].sort((a, b) => a.at - b.at);
}
