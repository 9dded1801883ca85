import { iso } from '../domain/clock.ts';
import type { Grain } from '../domain/grain.ts';
import type { Sample } from '../domain/sample.ts';
import type { Span } from '../domain/span.ts';
import type { TokenName } from '../domain/token.ts';
import { Prisma } from '../generated/prisma/client.ts';

/*
 * The statements that more than one store of the archive makes.
 */

export type ArchivedSample = Sample & { settled: boolean };

export const toInstant = (ms: number) => Prisma.sql`${iso(ms)}::timestamptz`;
export const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** Rows travel as one JSON text: the server casts each figure from its own digits, so none is lost on the way. */
export const given = (samples: readonly ArchivedSample[]) => Prisma.sql`
  SELECT to_timestamp(at / 1000)::timestamptz(3) AS at, price, market_cap, volume, settled
  FROM json_to_recordset(${JSON.stringify(
    samples.map(({ marketCap, ...sample }) => ({ ...sample, market_cap: marketCap })),
  )}::json) AS row(at float8, price float8, market_cap float8, volume float8, settled boolean)`;

/**
 * Adds spans to those of a token's grain; spans that touch become one. Two processes may write at once: what then
 * overlaps is united when it is read.
 */
export const addCoverage = (token: TokenName, grain: Grain, spans: readonly Span[]) => Prisma.sql`
  WITH added AS (
    SELECT to_timestamp("from" / 1000)::timestamptz(3) AS "from", to_timestamp(thru / 1000)::timestamptz(3) AS thru
    FROM json_to_recordset(${JSON.stringify(spans)}::json) AS row("from" float8, thru float8)),
  touching AS (
    DELETE FROM coverage c WHERE token = ${token} AND grain = ${grain}::grain AND EXISTS (
      SELECT 1 FROM added
      WHERE c."from" <= added.thru + interval '1 ms' AND c.thru >= added."from" - interval '1 ms')
    RETURNING "from", thru),
  united AS (
    SELECT unnest(range_agg(tstzrange("from", thru + interval '1 ms'))) AS span
    FROM (SELECT "from", thru FROM added UNION ALL SELECT "from", thru FROM touching) AS every)
  INSERT INTO coverage (token, grain, "from", thru)
  SELECT ${token}, ${grain}::grain, lower(span), upper(span) - interval '1 ms' FROM united
  ON CONFLICT (token, grain, "from") DO UPDATE SET thru = greatest(coverage.thru, excluded.thru)`;

/** Tells other processes that the rows which `what` feeds have changed, and that nobody fetches it any more. */
export const bumpRefresh = (what: string, at: number) => Prisma.sql`
  INSERT INTO refresh (what, fetched_at, version) VALUES (${what}, ${toInstant(at)}, 1)
  ON CONFLICT (what) DO UPDATE SET fetched_at = excluded.fetched_at, version = refresh.version + 1,
    holder = NULL, until = NULL`;
