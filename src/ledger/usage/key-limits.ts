import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, DAY, type Instant, instantOf, isoDate, MINUTE, SECOND, startOfDate } from '#core/clock';
import { createMutex } from '#core/mutex';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import type { Lease } from '#ledger/lease';
import { addTotals } from '#ledger/usage/call-details';
import type { CountsStore, KeyCalls } from '#ledger/usage/counts-store';
import { unreportedCalls } from '#ledger/usage/unreported-calls';

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

type LimitedKey = { id: number; user: { key: number }; dailyLimit: number };

/**
 * The calls of keys with a daily limit. A count consists of the calls that the database knew when it was read, and the
 * calls of this process since. Other processes' calls are therefore missing until they are reported and read.
 */
export type KeyLimits = {
  readonly store: Pick<CountsStore, 'keyCalls' | 'addNodeRequests'>;
  /** The leases of this process. */
  readonly leasesOf: (userKey: number) => readonly Lease[];
  readonly clock: Clock;
  readonly counters: Map<number, KeyCounter>;
  /** Reads do not overlap with writes, so a count contains each request to the node once. */
  readonly inTurn: ReturnType<typeof createMutex>;
  /** The read that has not started yet. */
  next: Promise<void> | undefined;
};

export const createKeyLimits = (given: Pick<KeyLimits, 'store' | 'leasesOf' | 'clock'>): KeyLimits => ({
  ...given,
  counters: new Map(),
  inTurn: createMutex(),
  next: undefined,
});

/** Returns the key's counter of today, which is marked as used. */
function counterOf({ counters }: KeyLimits, { id, user }: LimitedKey, { wall, elapsed }: Instant): KeyCounter {
  const known = counters.get(id);
  const date = startOfDate(wall);
  if (known?.date === date) {
    known.usedAt = elapsed;
    return known;
  }
  const unread = { used: 0, pending: 0, unwritten: 0, readAt: Number.NEGATIVE_INFINITY, usedAt: elapsed };
  const counter = { userKey: user.key, keyId: id, date, ...unread };
  counters.set(id, counter);
  return counter;
}

const isRead = ({ readAt }: KeyCounter, elapsed: number): boolean => elapsed - readAt < TRUSTED_FOR;
const isOver = ({ used, pending }: KeyCounter, limit: number, cost: number): boolean => used + pending + cost > limit;
const ofToday = ({ counters, clock }: KeyLimits) => {
  const date = startOfDate(clock.now());
  return { date, today: [...counters.values()].filter((counter) => counter.date === date) };
};

function keyLimitExceeded(limit: number, cost: number, { date }: KeyCounter, now: number): Problem {
  const detail =
    cost === 1
      ? `The daily limit of this key (calls: ${limit}) is used up for ${isoDate(date)}.`
      : `Fewer than ${cost} of the ${limit} calls of this key for ${isoDate(date)} are left.`;
  return new Problem('key_limit_exceeded', `${detail} The next UTC day starts at midnight.`, {
    retryAfter: (date + DAY - now) / SECOND,
  });
}

/** The calls of all processes: each lease counts as reported, but this process's leases as they are in memory. */
function usedOf({ keyId, date }: KeyCounter, { calls, leases }: KeyCalls, own: Iterable<Lease>): number {
  let used = calls;
  const add = (key: number, _path: number, count: number) => {
    if (key === keyId) used += count;
  };
  for (const lease of leases) addTotals(lease, 1, add);
  const today = [...own].filter((lease) => lease.date === date);
  for (const unreported of unreportedCalls(today, leases)) add(unreported.keyId, unreported.path, unreported.calls);
  return used;
}

/** Reads the counts that `isDue` selects, the oldest first. */
async function read(limits: KeyLimits, isDue: (counter: KeyCounter, elapsed: number) => boolean): Promise<void> {
  const { store, leasesOf, clock } = limits;
  const { date, today } = ofToday(limits);
  const readAt = clock.elapsed();
  const due = today.filter((counter) => isDue(counter, readAt)).sort((a, b) => a.readAt - b.readAt);
  const batch = due.slice(0, READ_AT_ONCE);
  if (batch.length === 0) return;
  const before = new Map(batch.map(({ userKey }) => [userKey, [...leasesOf(userKey)]]));
  const rows = await withinDeadline(store.keyCalls(batch, date));
  const rowOf = new Map(rows.map((row) => [row.keyId, row]));
  for (const counter of batch) {
    const row = rowOf.get(counter.keyId);
    if (!row) continue;
    // A lease may have been opened in the meantime.
    const leases = [...(before.get(counter.userKey) ?? []), ...leasesOf(counter.userKey)];
    counter.used = usedOf(counter, row, leases) + counter.unwritten;
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
      if (isOver(counter, key.dailyLimit, cost)) throw keyLimitExceeded(key.dailyLimit, cost, counter, at.wall);
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
    const { date, today } = ofToday(limits);
    const written = today.filter(({ unwritten }) => unwritten > 0).sort((one, other) => one.keyId - other.keyId);
    if (written.length === 0) return;
    const requests = written.map((counter) => ({ ...counter, counter, requests: counter.unwritten }));
    await withinDeadline(limits.store.addNodeRequests(requests, date));
    for (const { counter, requests: count } of requests) counter.unwritten -= count;
  });

/** Reads the counts of keys in use again. Called once a second. */
export async function refresh(limits: KeyLimits): Promise<void> {
  await writeNodeRequests(limits);
  const { wall, elapsed } = instantOf(limits.clock);
  for (const [id, { date, usedAt }] of limits.counters)
    if (date !== startOfDate(wall) || elapsed - usedAt >= FORGOTTEN_AFTER) limits.counters.delete(id);
  await limits.inTurn(() => read(limits, ({ usedAt }, now) => now - usedAt < READ_FOR));
}
