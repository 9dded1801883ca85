import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, DAY, type Instant, instantOf, isoDate, MINUTE, SECOND, startOfDate } from '#core/clock';
import { createMutex } from '#core/mutex';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { addTotals } from '#ledger/usage/call-details';
import type { CountsStore, KeyCalls } from '#ledger/usage/counts-store';
import { type OwnLease, unreportedCalls } from '#ledger/usage/unreported-calls';

/** How long a count is used after it was read, in ms. It is read once a second, unless the database does not respond. */
const TRUSTED_FOR = 18 * SECOND;
/** A count is read again until its key has not been used for this time, in ms. */
const READ_FOR = 15 * SECOND;
const FORGOTTEN_AFTER = MINUTE;
/** Keys per statement. With more keys in use, each is read less often. */
const READ_AT_ONCE = 1_000;

/** The calls of a key on a UTC date, of all processes. Instants are on the monotonic clock, in ms. */
export type KeyCounter = {
  readonly userKey: number;
  readonly keyId: number;
  used: number;
  /** The cost of calls that wait for the ledger. */
  pending: number;
  /** Free requests to the node that this process has not written yet. `used` includes them. */
  unwritten: number;
  readAt: number;
  usedAt: number;
};

type LimitedKey = { id: number; user: { key: number }; dailyLimit: number };

/**
 * The calls of keys with a daily limit. A count consists of the calls that the database knew when it was read, and the
 * calls of this process since. Other processes' calls are therefore missing until they are reported and read.
 */
export const newKeyLimits = (
  store: Pick<CountsStore, 'keyCalls' | 'addNodeRequests'>,
  leasesOf: (userKey: number) => readonly OwnLease[],
  clock: Clock,
) => ({
  store,
  leasesOf,
  clock,
  /** The start of the counters' date, in Unix ms. */
  date: 0,
  counters: new Map<number, KeyCounter>(),
  /** Reads do not overlap with writes, so a count contains each request to the node once. */
  inTurn: createMutex(),
});

/** `next`: the read that has not started yet. */
export type KeyLimits = ReturnType<typeof newKeyLimits> & { next?: Promise<void> | undefined };

/** The counters of the UTC date. Those of another date are forgotten, because no limit depends on them. */
function countersAt(limits: KeyLimits, wall: number): Map<number, KeyCounter> {
  const date = startOfDate(wall);
  if (limits.date !== date) limits.counters.clear();
  limits.date = date;
  return limits.counters;
}

/** Returns the key's counter, which is marked as used. */
function counterOf(limits: KeyLimits, { id, user }: LimitedKey, { wall, elapsed }: Instant): KeyCounter {
  const counters = countersAt(limits, wall);
  let counter = counters.get(id);
  if (!counter) {
    const unread = { used: 0, pending: 0, unwritten: 0, readAt: Number.NEGATIVE_INFINITY };
    counter = { userKey: user.key, keyId: id, ...unread, usedAt: elapsed };
    counters.set(id, counter);
  }
  counter.usedAt = elapsed;
  return counter;
}

const isRead = ({ readAt }: KeyCounter, elapsed: number): boolean => elapsed - readAt < TRUSTED_FOR;
const isOver = ({ used, pending }: KeyCounter, limit: number, cost: number): boolean => used + pending + cost > limit;

function keyLimitExceeded(limit: number, cost: number, now: number): Problem {
  const detail =
    cost === 1
      ? `The daily limit of this key (calls: ${limit}) is used up for ${isoDate(now)}.`
      : `Fewer than ${cost} of the ${limit} calls of this key for ${isoDate(now)} are left.`;
  return new Problem('key_limit_exceeded', `${detail} The next UTC day starts at midnight.`, {
    retryAfter: (startOfDate(now) + DAY - now) / SECOND,
  });
}

/** The calls of all processes: each lease counts as reported, but this process's leases as they are in memory. */
function usedOf({ keyId, calls, leases }: KeyCalls, own: readonly OwnLease[]): number {
  let used = calls;
  const add = (key: number, _path: number, count: number) => {
    if (key === keyId) used += count;
  };
  for (const lease of leases) addTotals(lease, 1, add);
  for (const unreported of unreportedCalls(own, leases)) add(unreported.keyId, unreported.path, unreported.calls);
  return used;
}

/** Reads the counts that `isDue` selects, the oldest first. */
async function read(limits: KeyLimits, isDue: (counter: KeyCounter, elapsed: number) => boolean): Promise<void> {
  const { store, leasesOf, clock } = limits;
  const { wall, elapsed: readAt } = instantOf(clock);
  const due = [...countersAt(limits, wall).values()].filter((counter) => isDue(counter, readAt));
  const batch = due.sort((a, b) => a.readAt - b.readAt).slice(0, READ_AT_ONCE);
  if (batch.length === 0) return;
  const before = new Map(batch.map(({ userKey }) => [userKey, [...leasesOf(userKey)]]));
  const { date } = limits;
  const rows = await withinDeadline(store.keyCalls(batch, date));
  const rowOf = new Map(rows.map((row) => [row.keyId, row]));
  for (const counter of batch) {
    const row = rowOf.get(counter.keyId);
    if (!row) continue;
    // A lease may have been opened in the meantime.
    const leases = [...(before.get(counter.userKey) ?? []), ...leasesOf(counter.userKey)];
    const today = leases.filter((lease) => lease.date === date);
    counter.used = usedOf(row, today) + counter.unwritten;
    counter.readAt = readAt;
  }
}

/** All counts that are requested before the statement starts share it. */
function readSoon(limits: KeyLimits): Promise<void> {
  limits.next ??= limits.inTurn(async () => {
    await nextTurn();
    limits.next = undefined;
    await read(limits, (counter, elapsed) => !isRead(counter, elapsed));
  });
  return limits.next;
}

/** Returns the counter if it is known that the key can make the call, without waiting. */
export function admitAtOnce(limits: KeyLimits, key: LimitedKey, at: Instant, cost: number): KeyCounter | undefined {
  const counter = counterOf(limits, key, at);
  return isRead(counter, at.elapsed) && !isOver(counter, key.dailyLimit, cost) ? counter : undefined;
}

/**
 * Returns the counter, after reading it if necessary. The cost is pending until the caller subtracts it, so calls that
 * wait together cannot exceed the limit. Throws `key_limit_exceeded` and `database_unavailable`.
 */
export async function admit(limits: KeyLimits, key: LimitedKey, cost: number): Promise<KeyCounter> {
  for (;;) {
    const at = instantOf(limits.clock);
    const counter = counterOf(limits, key, at);
    if (isRead(counter, at.elapsed)) {
      if (isOver(counter, key.dailyLimit, cost)) throw keyLimitExceeded(key.dailyLimit, cost, at.wall);
      counter.pending += cost;
      return counter;
    }
    await readSoon(limits);
  }
}

/** Counts a free request that was admitted. */
export function countFree(counter: KeyCounter): void {
  counter.used += 1;
  counter.unwritten += 1;
}

/** Writes today's requests to the node, in the same order in all processes, so that their statements do not deadlock. */
export const writeNodeRequests = (limits: KeyLimits): Promise<void> =>
  limits.inTurn(async () => {
    const counters = countersAt(limits, limits.clock.now())
      .values()
      .filter(({ unwritten }) => unwritten > 0);
    const sorted = [...counters].sort((one, other) => one.keyId - other.keyId);
    const requests = sorted.map((counter) => ({ ...counter, counter, requests: counter.unwritten }));
    if (requests.length === 0) return;
    await withinDeadline(limits.store.addNodeRequests(requests, limits.date));
    for (const { counter, requests: count } of requests) counter.unwritten -= count;
  });

/** Reads the counts of keys in use again. Called once a second. */
export async function refresh(limits: KeyLimits): Promise<void> {
  await writeNodeRequests(limits);
  const now = limits.clock.elapsed();
  for (const [id, { usedAt }] of limits.counters) if (now - usedAt >= FORGOTTEN_AFTER) limits.counters.delete(id);
  await limits.inTurn(() => read(limits, ({ usedAt }, elapsed) => elapsed - usedAt < READ_FOR));
}
