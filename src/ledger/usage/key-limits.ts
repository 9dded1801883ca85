import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, DAY, type Instant, instantOf, isoDate, MINUTE, SECOND, startOfDate } from '#core/clock';
import { createMutex } from '#core/mutex';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { addTotals, addUnreported, type Detailed, rowKey, totalsOf } from '#ledger/usage/call-details';
import type { CountsStore, KeyCalls } from '#ledger/usage/counts-store';

/**
 * How long a count is used after it was read, in ms. It is read once a second, unless the database does not respond.
 */
const TRUSTED_FOR = 18 * SECOND;
/** A count is read again until its key has not been used for this time, in ms. */
const READ_FOR = 15 * SECOND;
const FORGOTTEN_AFTER = MINUTE;
/** Keys per statement. With more keys in use, each is read less often. */
const READ_AT_ONCE = 1_000;

/** A lease of this process. */
type OwnLease = Detailed & {
  readonly process: string;
  readonly period: { readonly start: number };
  readonly date: number;
};

/** The calls of a key on a UTC date, of all processes. Instants are on the monotonic clock, in ms. */
export type KeyCounter = {
  readonly userKey: number;
  readonly keyId: number;
  /** The start of the date, in Unix ms. */
  readonly date: number;
  used: number;
  /** The cost of calls that wait for the ledger. */
  pending: number;
  /** Free requests to the node that this process has not written yet. `used` includes them. */
  unwritten: number;
  readAt: number;
  usedAt: number;
};

type Limited = { id: number; user: { key: number }; dailyLimit: number | undefined };

type Dependencies = {
  store: Pick<CountsStore, 'keyCalls' | 'addNodeRequests'>;
  /** The leases of this process. */
  leasesOf: (userKey: number) => readonly OwnLease[];
  clock: Clock;
};

export function keyLimitExceeded(limit: number, cost: number, { date }: KeyCounter, now: number): Problem {
  const detail =
    cost === 1
      ? `The daily limit of this key (calls: ${limit}) is used up for ${isoDate(date)}.`
      : `Fewer than ${cost} of the ${limit} calls of this key for ${isoDate(date)} are left.`;
  return new Problem('key_limit_exceeded', `${detail} The next UTC day starts at midnight.`, {
    retryAfter: (date + DAY - now) / SECOND,
  });
}

/**
 * Counts the calls of keys with a daily limit. A count consists of the calls that the database knew when it was read,
 * and the calls of this process since. Other processes' calls are therefore missing until they are reported and read.
 */
export function createKeyLimits({ store, leasesOf, clock }: Dependencies) {
  const counters = new Map<number, KeyCounter>();
  const asked = new Set<KeyCounter>();
  const inTurn = createMutex();
  let next: Promise<void> | undefined;

  function counterOf({ id, user }: Limited, { wall, elapsed }: Instant): KeyCounter {
    const known = counters.get(id);
    const date = startOfDate(wall);
    if (known?.date === date) return known;
    const unread = { used: 0, pending: 0, unwritten: 0, readAt: Number.NEGATIVE_INFINITY, usedAt: elapsed };
    const counter = { userKey: user.key, keyId: id, date, ...unread };
    counters.set(id, counter);
    return counter;
  }

  const isRead = ({ readAt }: KeyCounter, elapsed: number): boolean => elapsed - readAt < TRUSTED_FOR;
  const isOver = ({ used, pending }: KeyCounter, limit: number, cost: number): boolean => used + pending + cost > limit;

  /** The calls of all processes: each lease counts as reported, but this process's leases as they are in memory. */
  function usedOf({ keyId, date }: KeyCounter, { calls, leases }: KeyCalls, own: Iterable<OwnLease>): number {
    let used = calls;
    const add = (key: number, _path: number, count: number) => {
      if (key === keyId) used += count;
    };
    const reported = new Map(leases.map((lease) => [lease.key, lease]));
    for (const lease of leases) addTotals(lease, 1, add);
    for (const lease of own) {
      const key = rowKey(lease.process, lease.period.start, lease.date);
      if (lease.date === date) addUnreported({ totals: totalsOf(lease), reported: reported.get(key) }, add);
    }
    return used;
  }

  async function read(batch: readonly KeyCounter[]): Promise<void> {
    for (const date of new Set(batch.map((counter) => counter.date))) {
      const ofDate = batch.filter((counter) => counter.date === date);
      const own = new Map(ofDate.map(({ userKey }) => [userKey, leasesOf(userKey)]));
      const readAt = clock.elapsed();
      const rows = await withinDeadline(store.keyCalls(ofDate, date));
      const rowOf = new Map(rows.map((row) => [row.keyId, row]));
      for (const counter of ofDate) {
        const row = rowOf.get(counter.keyId);
        if (!row) continue;
        // A lease may have been opened in the meantime.
        const leases = new Set([...(own.get(counter.userKey) ?? []), ...leasesOf(counter.userKey)]);
        counter.used = usedOf(counter, row, leases) + counter.unwritten;
        counter.readAt = readAt;
      }
    }
  }

  /** Writes the requests to the node. Reads do not overlap with writes, so a count contains each request once. */
  async function write(): Promise<void> {
    const written = [...counters.values()].filter(({ unwritten }) => unwritten > 0);
    for (const date of new Set(written.map((counter) => counter.date))) {
      // In the same order in all processes, so that their statements do not deadlock.
      const ofDate = written.filter((counter) => counter.date === date).sort((one, other) => one.keyId - other.keyId);
      const requests = ofDate.map(({ userKey, keyId, unwritten }) => ({ userKey, keyId, requests: unwritten }));
      await withinDeadline(store.addNodeRequests(requests, date));
      for (const [i, counter] of ofDate.entries()) counter.unwritten -= requests[i]?.requests ?? 0;
    }
  }

  /** Reads a count. All counts that are requested before the statement starts share it. */
  function readSoon(counter: KeyCounter): Promise<void> {
    asked.add(counter);
    next ??= inTurn(async () => {
      await nextTurn();
      next = undefined;
      const batch = [...asked].slice(0, READ_AT_ONCE);
      for (const one of batch) asked.delete(one);
      await read(batch);
    });
    return next;
  }

  return {
    /** Returns the counter if it is known that the key can make the call, without waiting. */
    admitAtOnce(key: Limited & { dailyLimit: number }, at: Instant, cost: number): KeyCounter | undefined {
      const counter = counterOf(key, at);
      counter.usedAt = at.elapsed;
      return isRead(counter, at.elapsed) && !isOver(counter, key.dailyLimit, cost) ? counter : undefined;
    },

    /**
     * Returns the counter, after reading it if necessary. The cost is pending until the caller subtracts it, so calls
     * that wait together cannot exceed the limit. Throws `key_limit_exceeded` and `database_unavailable`.
     */
    async admit(key: Limited & { dailyLimit: number }, cost: number): Promise<KeyCounter> {
      for (;;) {
        const at = instantOf(clock);
        const counter = counterOf(key, at);
        counter.usedAt = at.elapsed;
        if (!isRead(counter, at.elapsed)) {
          await readSoon(counter);
          continue;
        }
        if (isOver(counter, key.dailyLimit, cost)) throw keyLimitExceeded(key.dailyLimit, cost, counter, at.wall);
        counter.pending += cost;
        return counter;
      }
    },

    /** Counts a free request after `admit`. */
    countFree(counter: KeyCounter): void {
      counter.used += 1;
      counter.unwritten += 1;
    },

    /** Writes the requests that are not written yet. */
    write: (): Promise<void> => inTurn(write),

    /** Called for a key without a limit: its calls are not counted until it has one again. */
    forget: (keyId: number): boolean => counters.delete(keyId),

    /** Reads the counts of keys in use again, the oldest first. Called once a second. */
    async refresh(): Promise<void> {
      await inTurn(write);
      const { wall, elapsed } = instantOf(clock);
      for (const [id, { date, usedAt }] of counters)
        if (date !== startOfDate(wall) || elapsed - usedAt >= FORGOTTEN_AFTER) counters.delete(id);
      const inUse = [...counters.values()].filter(({ usedAt }) => elapsed - usedAt < READ_FOR);
      if (inUse.length === 0) return;
      const batch = inUse.sort((a, b) => a.readAt - b.readAt).slice(0, READ_AT_ONCE);
      await inTurn(() => read(batch));
    },
  };
}

export type KeyLimits = ReturnType<typeof createKeyLimits>;
