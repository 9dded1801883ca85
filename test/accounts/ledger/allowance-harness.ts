import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAllowance } from '#accounts/gate/allowance';
import { createKeyCache, refuseEnded } from '#accounts/keys/key-cache';
import { createUserStore } from '#accounts/keys/user-store';
import { createLedgerStore } from '#accounts/ledger/ledger-store';
import { addMonths } from '#accounts/ledger/plan';
import { createAdministration } from '#accounts/users/administration';
import { createAdministrationStore } from '#accounts/users/administration-store';
import { createUsers } from '#accounts/users/users';
import type { Clock } from '#core/clock';
import type { TestDatabase } from '../../support/database/database.ts';
import { OPERATOR } from '../../support/operator.ts';
import { unlogged } from '../../support/unlogged.ts';

export type HandClock = ReturnType<typeof handClock>;

/** A clock that advances only when a test advances it. */
export function handClock(start: number) {
  let wall = start;
  let elapsed = 1;
  return {
    now: () => wall,
    elapsed: () => elapsed,
    /** Advances the clock by `ms` milliseconds. */
    pass(ms: number): void {
      wall += ms;
      elapsed += ms;
    },
    /** Advances the clock to an instant (Unix ms). */
    passUntil(instant: number): void {
      elapsed += Math.max(0, instant - wall);
      wall = Math.max(wall, instant);
    },
    /** Moves the wall clock forward or back. */
    set(ms: number): void {
      wall += ms;
    },
  };
}

/** An interval so long that no timer fires: the test calls `settle` and `poll` itself. */
export const BY_HAND = 2 ** 30;

/** A fault in the next settlement: its request does not reach the ledger, or its response is lost. */
export type Loss = 'request' | 'answer';

/**
 * Opens the allowance of one process, with its own clock, on a database that others may share. `restingPart` replaces
 * the default part of the remaining calls that idle leases may keep.
 */
export function openLeaseHolder(
  database: Pick<TestDatabase, 'prisma' | 'query'>,
  clock: Clock,
  { restingPart, reclaimAfterMs = 0 }: { restingPart?: number; reclaimAfterMs?: number | undefined } = {},
) {
  const store = createUserStore(database.prisma);
  const keyCache = createKeyCache({ store, clock });
  const ledger = createLedgerStore(database, undefined, restingPart);
  let loss: Loss | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  const fragile =
    <Report, Answer>(
      statement: (reports: readonly Report[], mayReclaim?: boolean) => Promise<Answer>,
      nothing: Answer,
    ) =>
    async (reports: readonly Report[], mayReclaim?: boolean) => {
      const lost = loss;
      loss = undefined;
      const answer = lost === 'request' ? Promise.resolve(nothing) : statement(reports, mayReclaim);
      underWay = answer.catch(() => undefined);
      const given = await answer;
      if (lost) throw new Error('the connection was cut');
      return given;
    };
  const { heartbeat, settle, grantFirst } = ledger;
  const cut = {
    ...ledger,
    heartbeat: fragile(heartbeat, new Set<number>()),
    settle: fragile(settle, []),
    grantFirst: fragile(grantFirst, []),
  };
  const byHand = { tickMs: BY_HAND, recallMs: 0, reclaimAfterMs };
  const allowance = createAllowance({ keyCache, ledger: cut, clock, failures: unlogged, ...byHand });
  const users = createUsers({ store, clock, changed: allowance.sync });
  const administration = createAdministration({
    store: createAdministrationStore(database.prisma),
    find: store.find,
    clock,
    changed: allowance.sync,
  });

  return {
    ...allowance,
    users,
    administration,
    setLimit: (key: number, limit: number) => administration.limit(OPERATOR, key, limit),
    loseNext(what: Loss): void {
      loss = what;
    },
    /** Resolves when the ledger has responded to the statements that a change of the user triggered. */
    async answered(): Promise<void> {
      await nextTurn();
      await nextTurn();
      await underWay;
      await nextTurn();
    },
    /** Makes one call with a key at the given cost. The caller keeps or refunds the receipt. */
    async call(apiKey: string, cost = 1, path = 1) {
      const holder = await allowance.holderOf(apiKey);
      refuseEnded(holder, clock.now(), {});
      return allowance.spend(holder, path, 0, cost);
    },
    /** Makes calls until one is rejected, at most `atMost`. Returns the number of charged calls. */
    async callUntilRefused(apiKey: string, atMost = 10_000): Promise<number> {
      for (let n = 0; n < atMost; n++) {
        try {
          allowance.keep(await allowance.spend(await allowance.holderOf(apiKey), 1));
        } catch (error) {
          if ((error as { code?: string }).code === 'quota_exceeded') return n;
          throw error;
        }
      }
      return atMost;
    },
    close: () => allowance.close(10_000),
  };
}

export type LeaseHolder = ReturnType<typeof openLeaseHolder>;

/** Creates a user with a limit, valid for two years from an instant, and returns the key. */
export async function createUser(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  holder: LeaseHolder,
  { limit, at }: { limit: number; at: number },
) {
  const { key, apiKey } = await holder.users.create(
    { name: 'Ada Lovelace', email: 'ada@example.org', plan: 'monthly' },
    limit,
  );
  const validUntil = new Date(addMonths(at, 24));
  await prisma.user.update({ where: { key }, data: { anchor: new Date(at), validUntil } });
  return { key, apiKey };
}

/** Ages every open lease of a user and its group, as if its process had not reported it for `seconds` seconds. */
export async function age({ prisma }: Pick<TestDatabase, 'prisma'>, userKey: number, seconds: number) {
  await prisma.$executeRaw`
    WITH aged AS (
      UPDATE lease SET expires_at = expires_at - make_interval(secs => ${seconds}::float8)
      WHERE user_key = ${userKey} AND NOT closed RETURNING group_id)
    UPDATE lease_group SET expires_at = expires_at - make_interval(secs => ${seconds}::float8)
    WHERE id IN (SELECT group_id FROM aged)`;
}

type Reported = { periodStart: Date; date: Date; spent: number; unbooked: number; expiresAt: Date };

/** A user's leases with the calls that their processes have reported. */
export const reportedLeases = ({ prisma }: Pick<TestDatabase, 'prisma'>, userKey: number): Promise<Reported[]> =>
  prisma.$queryRaw<Reported[]>`
    SELECT period_start AS "periodStart", date, spent, unbooked, expires_at AS "expiresAt"
    FROM reported_lease WHERE user_key = ${userKey}`;

/** A user's periods: the used calls, and the unspent calls in leases. */
export async function usageRows(database: Pick<TestDatabase, 'prisma'>, userKey: number) {
  const rows = await database.prisma.usage.findMany({ where: { userKey }, orderBy: { periodStart: 'asc' } });
  const leases = await reportedLeases(database, userKey);
  return rows.map(({ periodStart, used, outstanding }) => {
    const unbooked = leases
      .filter((lease) => lease.periodStart.getTime() === periodStart.getTime())
      .reduce((sum, { unbooked }) => sum + unbooked, 0);
    return { period: periodStart.getTime(), used: used + unbooked, outstanding: outstanding - unbooked };
  });
}

/** A user's calls by date. */
export async function usageDays(database: Pick<TestDatabase, 'prisma'>, userKey: number) {
  const days = await database.prisma.usageDay.findMany({ where: { userKey } });
  const leases = await reportedLeases(database, userKey);
  const calls = new Map<number, number>();
  const add = (date: Date, count: number) => calls.set(date.getTime(), (calls.get(date.getTime()) ?? 0) + count);
  for (const day of days) add(day.date, day.calls);
  for (const lease of leases) add(lease.date, lease.unbooked);
  return [...calls]
    .map(([date, calls]) => ({ date, calls }))
    .filter(({ calls }) => calls !== 0)
    .sort((a, b) => a.date - b.date);
}
