import { type Clock, DAY, HOUR, iso } from '#core/clock';
import type { Job } from '#core/jobs';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** A row is deleted `kept` ms after the instant of the SQL expression `since`. */
type Expiry = { since: string; kept: number; why: string; also?: string };
/** For rows that other code deletes, or that are never deleted. */
type Exception = { why: string };

export const WEBHOOK_DELIVERY_DAYS = 30;

/** How long the rows of each table are kept. A test compares the names with the database's catalogue. */
export const RETENTION: Readonly<Record<string, Expiry | Exception>> = {
  user: { why: 'An erasure clears the row, and keeps the record number for the counts of calls.' },
  api_key: { since: 'least(revoked_at, expires_at)', kept: 30 * DAY, why: 'A rejection states why the key ended.' },
  stream_ticket: { why: 'Each new ticket deletes expired ones, so that the table stays as small as its use.' },
  usage: { why: 'Counts of past periods are kept. A user has one row per period.' },
  usage_day: { why: 'ledger/usage/usage-retention.ts deletes rows after USAGE_RETENTION.' },
  usage_detail: { why: 'Deleted together with usage_day.' },
  lease: { why: 'Closed when its user is idle, or a day after its process expired.' },
  process: {
    since: 'swept_at',
    kept: 2 * DAY,
    why: 'The leases of a process that expired stay for a day.',
  },
  outbox_message: { since: 'given_up_at', kept: 30 * DAY, why: 'The operator can retry an undelivered message.' },
  pending_registration: { since: 'expires_at', kept: 0, why: 'The code can no longer be used.' },
  one_time_code: { since: 'expires_at', kept: 0, why: 'The code can no longer be used.' },
  mail_allowance: { since: 'last_at', kept: DAY, why: 'The longest window of a limit is a day.' },
  notice_settings: { why: 'One row per user, which an erasure deletes.' },
  notice: {
    since: 'reported_at',
    kept: 400 * DAY,
    why: 'A notice of a yearly period must not be repeated within the period.',
    // Race: a statement that overlaps an erasure may add a notice of the erased user.
    also: 'user_key IN (SELECT key FROM "user" WHERE erased_at IS NOT NULL)',
  },
  webhook_delivery: { since: 'created_at', kept: WEBHOOK_DELIVERY_DAYS * DAY, why: 'Users list their deliveries.' },
  token: { why: 'A removed token keeps its data, and can be added again.' },
  token_request: {
    since: 'requested_at',
    kept: HOUR,
    why: 'The number of tokens that a user adds is limited per hour.',
  },
  listed_coin: { why: "CoinGecko's list of coins, which each fetch replaces." },
  coin_address: { why: 'Replaced together with listed_coin.' },
  point: { why: 'prices/retention deletes rows of a source after MARKET_RETENTION.' },
  point_coverage: { why: 'Deleted together with the points.' },
  candle: { why: 'prices/retention deletes rows of a source after MARKET_RETENTION.' },
  candle_coverage: { why: 'Deleted together with the candles.' },
  latest_price: { why: 'One row per token and source.' },
  source_failover: { why: 'One row.' },
  exchange_rates: { why: 'One row per date, without which the history cannot be converted.' },
  exchange_rate_span: { why: 'One row per source.' },
  latest_statistics: { why: 'One row per token.' },
  chain_count: { since: 'at', kept: 3 * DAY, why: 'Daily figures need the count of a day ago.' },
  credit: { why: 'The sum of a period. An erasure deletes the rows.' },
  audit_event: { why: 'Nothing deletes the audit log.' },
  announcement: { why: 'One row.' },
  user_activity: { why: 'One row per user.' },
  incident: { since: 'ended_at', kept: 90 * DAY, why: 'The status page shows 90 days.' },
  observed_day: { since: 'date + 1', kept: 90 * DAY, why: 'The status page shows 90 days.' },
  refresh: { why: 'One row per resource.' },
  budget: { why: 'One row per upstream.' },
  source_outcome: { why: 'One row per source.' },
  shared_secret: { why: 'One row per secret.' },
};

/** Deletes expired rows. If several processes run this at once, each row is deleted by the first of them. */
export async function deleteExpired(prisma: PrismaClient, now: number): Promise<void> {
  for (const [table, rule] of Object.entries(RETENTION)) {
    if (!('since' in rule)) continue;
    const { since, kept, also = 'false' } = rule;
    await prisma.$executeRaw`
      DELETE FROM ${Prisma.raw(`"${table}"`)}
      WHERE ${Prisma.raw(since)} <= ${iso(now - kept)}::timestamptz OR ${Prisma.raw(also)}`;
  }
}

export const deletionOfExpiredRows = (prisma: PrismaClient, clock: Clock): Job => ({
  name: 'deletion of expired rows',
  every: HOUR,
  run: () => deleteExpired(prisma, clock.now()),
  isImmediate: true,
});
