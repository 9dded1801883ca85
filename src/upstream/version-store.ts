import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';

/**
 * Raises the version of a resource, so that every process reloads it, and ends the claim on it.
 * @param at when it was fetched (Unix ms); left out for what is changed by the operator alone
 */
export const bumpVersion = (resource: string, at?: number) => Prisma.sql`
  INSERT INTO refresh (what, fetched_at, version) VALUES (${resource}, ${at === undefined ? null : iso(at)}::timestamptz, 1)
  ON CONFLICT (what) DO UPDATE SET fetched_at = excluded.fetched_at, version = refresh.version + 1,
    holder = NULL, until = NULL`;
