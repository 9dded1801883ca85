import { z } from 'zod';
import type { Sample } from '../domain/sample.ts';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import { createJsonReader, type ToldError } from './json-answer.ts';
import { numeric } from './wire-number.ts';

/*
 * CoinGecko v3 as it is on the wire: numbers that come as strings, arrays of unequal length, the newest sample
 * ahead of the one before it, and errors in five shapes under any status. Nothing else reads its JSON.
 */
const UPSTREAM = 'coingecko';

const figure = numeric.nullish().transform((value) => value ?? null);
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

const BEYOND_TIME_RANGE = 10012;

const CAUSES: Readonly<Record<number, FailureCause>> = {
  429: 'rate_limited',
  [BEYOND_TIME_RANGE]: 'out_of_reach',
};

function errorIn(body: unknown): ToldError | undefined {
  const { data } = errorAnswer.safeParse(body);
  if (!data) return undefined;
  const status = data.status ?? (typeof data.error === 'object' ? data.error.status : undefined);
  const code = status?.error_code ?? data.error_code;
  const message = typeof data.error === 'string' ? data.error : status?.error_message;
  if (code === undefined && message === undefined) return undefined;
  return { message: message ?? `code ${code}`, cause: code === undefined ? undefined : CAUSES[code] };
}

/** The body of an answer in the shape that is wanted; throws `UpstreamFailure`. */
export const createReader = (apiKey: string | undefined) => createJsonReader(UPSTREAM, errorIn, apiKey);

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
