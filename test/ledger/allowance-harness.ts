import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, DAY, SECOND } from '#core/clock';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { refuseEnded } from '#keys/key-validity';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import { createUserServices } from '#user-services';
import { addMonths } from '#users/plan';
import type { TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';
import { unlogged } from '../support/unlogged.ts';

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
type Loss = 'request' | 'answer';

/**
 * Opens the allowance of one process, with its own clock, on a database that others may share. `reservePart` replaces
 * the default part of the remaining calls that idle leases may keep.
 */
export function openLeaseHolder(
  database: Pick<TestDatabase, 'prisma' | 'query' | 'execute' | 'isDistributed'>,
  clock: Clock,
  { reservePart, sweepAfterMs = 0 }: { reservePart?: number; sweepAfterMs?: number | undefined } = {},
) {
  const keyCache = createKeyCache({ store: createKeyHolderStore(database.prisma), clock });
  const ledger = createLedgerStore(database);
  let loss: Loss | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  const fragile =
    <Given extends unknown[], Answer>(statement: (...given: Given) => Promise<Answer>, nothing: Answer) =>
    async (...given: Given) => {
      const lost = loss;
      loss = undefined;
      const response = lost === 'request' ? Promise.resolve(nothing) : statement(...given);
      underWay = response.catch(() => undefined);
      const answer = await response;
      if (lost) throw new Error('the connection was cut');
      return answer;
    };
  const { open, grant, report, close } = ledger;
  const cut = {
    ...ledger,
    open: fragile(open, undefined),
    grant: fragile(grant, []),
    report: fragile(report, 0),
    close: fragile(close, undefined),
  };
  const byHand = { tickMs: BY_HAND, recallMs: 0, sweepAfterMs, reservePart };
  const allowance = createAllowance({ keyCache, ledger: cut, clock, failures: unlogged, ...byHand });
  const { users, keys, administration } = createUserServices(database.prisma, { clock, changed: allowance.sync });

  return {
    ...allowance,
    users,
    keys,
    administration,
    setLimit: (key: number, limit: number) => administration.limit(OPERATOR, key, limit),
    loseNext(what: Loss): void {
      loss = what;
    },
    /** Resolves when the ledger has responded to the statements that a change of the user triggered. */
    async answered(): Promise<void> {
      for (let last: unknown; last !== underWay; ) {
        last = underWay;
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        await underWay;
      }
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
  await prisma.user.updateMany({ where: { key }, data: { anchor: new Date(at), validUntil } });
  return { key, apiKey };
}

/** Ages the processes that hold leases of a user, as if they had not reported for `seconds` seconds. */
export async function age({ prisma }: Pick<TestDatabase, 'prisma'>, userKey: number, seconds: number) {
  const leases = await prisma.lease.findMany({ where: { userKey }, select: { process: true } });
  await prisma.$executeRaw`
    UPDATE process SET expires_at = expires_at - make_interval(secs => ${seconds}::float8),
      swept_at = swept_at - make_interval(secs => ${seconds}::float8)
    WHERE id = ANY (${leases.map(({ process }) => process)}::uuid[])`;
}

type Stored = { process: string; periodStart: Date; date: Date; granted: number; spent: number };

/** A user's leases with the calls that their processes have reported. */
export const storedLeases = ({ prisma }: Pick<TestDatabase, 'prisma'>, userKey: number): Promise<Stored[]> =>
  prisma.lease.findMany({ where: { userKey } });

/** A user's periods: the used calls, and the unspent calls in leases. */
export async function usageRows(database: Pick<TestDatabase, 'prisma'>, userKey: number) {
  const rows = await database.prisma.usage.findMany({ where: { userKey }, orderBy: { periodStart: 'asc' } });
  const leases = await storedLeases(database, userKey);
  return rows.map(({ periodStart, used }) => {
    const outstanding = leases
      .filter((lease) => lease.periodStart.getTime() === periodStart.getTime())
      .reduce((sum, { granted, spent }) => sum + granted - spent, 0);
    return { period: periodStart.getTime(), used: used - outstanding, outstanding };
  });
}

/** A user's calls by date. */
export async function usageDays(database: Pick<TestDatabase, 'prisma'>, userKey: number) {
  const days = await database.prisma.usageDay.findMany({ where: { userKey } });
  const leases = await storedLeases(database, userKey);
  const calls = new Map<number, number>();
  const add = (date: Date, count: number) => calls.set(date.getTime(), (calls.get(date.getTime()) ?? 0) + count);
  for (const day of days) add(day.date, day.calls);
  for (const lease of leases) add(lease.date, lease.spent);
  return [...calls]
    .map(([date, calls]) => ({ date, calls }))
    .filter(({ calls }) => calls !== 0)
    .sort((a, b) => a.date - b.date);
}

/** Closes the leases of all processes of a user that are not alive, as other processes do within a day. */
export async function sweep(
  database: Pick<TestDatabase, 'prisma' | 'query' | 'execute' | 'isDistributed'>,
  userKey: number,
) {
  const ledger = createLedgerStore(database);
  await age(database, userKey, 31);
  for (const lease of await ledger.sweep(userKey)) await ledger.grant([{ ...lease, want: 0, need: 0 }]);
  await age(database, userKey, DAY / SECOND + 1);
  for (const lease of await ledger.sweep(userKey)) await ledger.close([lease]);
}
