import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Caller, KeyCache } from '#keys/key-cache';
import type { KeyHolder } from '#keys/key-validity';
import { remaining } from '#ledger/lease';
import { createLeases, type Leases, type Receipt } from '#ledger/leases';
import type { LedgerOptions } from '#ledger/ledger-state';
import type { UsageBy } from '#ledger/usage/call-details';
import {
  admit,
  admitAtOnce,
  countFree,
  type KeyLimits,
  newKeyLimits,
  refresh,
  writeNodeRequests,
} from '#ledger/usage/key-limits';
import { readUsage } from './usage.ts';

type LimitedKey = KeyHolder & { dailyLimit: number };
const isLimited = (key: KeyHolder): key is LimitedKey => key.dailyLimit !== undefined;

type Charging = { leases: Leases; keyLimits: KeyLimits; clock: Clock };

/** Most keys have no daily limit, and are charged without further checks. */
function spendAtOnce(
  { leases, keyLimits }: Charging,
  key: KeyHolder,
  path: number,
  at: Instant,
  cost: number,
): Receipt | undefined {
  const call = { keyId: key.id, path, cost };
  if (!isLimited(key)) return leases.spendAtOnce(key.user, call, at);
  const counter = admitAtOnce(keyLimits, key, at, cost);
  const receipt = counter && leases.spendAtOnce(key.user, call, at);
  return receipt && counted(receipt, counter);
}

function counted(receipt: Receipt, counter: Receipt['counter']): Receipt {
  if (counter) counter.used += receipt.cost;
  receipt.counter = counter;
  return receipt;
}

async function spendLimited(
  { leases, keyLimits, clock }: Charging,
  key: LimitedKey,
  path: number,
  waited: number,
  cost: number,
): Promise<Receipt> {
  const since = clock.elapsed();
  const counter = await admit(keyLimits, key, cost);
  try {
    const call = { keyId: key.id, path, cost };
    return counted(await leases.spend(key.user, call, waited + clock.elapsed() - since), counter);
  } finally {
    counter.pending -= cost;
  }
}

/** Counts a request to the node toward the daily limit of a URL key. Throws `key_limit_exceeded`. */
function countNodeRequest({ keyLimits, clock }: Charging, key: KeyHolder): Promise<void> | undefined {
  if (!key.url || !isLimited(key)) return undefined;
  const counter = admitAtOnce(keyLimits, key, instantOf(clock), 1);
  if (!counter)
    return admit(keyLimits, key, 1).then((admitted) => {
      admitted.pending -= 1;
      countFree(admitted);
    });
  countFree(counter);
  return undefined;
}

/** Reads changed keys. Releases the calls of idle leases if another process needs them. */
async function sync({ leases, keyLimits }: Charging, keyCache: KeyCache): Promise<void> {
  const changed = await keyCache.sync();
  // The calls of a key without a limit are not counted until it has one again.
  for (const key of changed) if (!isLimited(key)) keyLimits.counters.delete(key.id);
  leases.review(changed.map(({ user }) => user));
}

export function createAllowance({ keyCache, ...options }: LedgerOptions & { keyCache: KeyCache }) {
  const { ledger, clock, failures, tickMs = SECOND } = options;
  const leases = createLeases(options);
  const keyLimits = newKeyLimits(ledger, leases.of, clock);
  const charging = { leases, keyLimits, clock };

  async function poll(): Promise<void> {
    await sync(charging, keyCache);
    await refresh(keyLimits);
  }
  // Polls never overlap. Otherwise, each poll would hold another connection while the database does not respond.
  const polling = every(tickMs, poll, {
    onError(error) {
      leases.databaseFailed();
      failures.failed('key poll', error);
    },
  });
  // This is separate from the poll, so that the poll learns of ended keys without waiting for this write.
  const writing = every(tickMs, keyCache.writeUse, { onError: (error) => failures.failed('key use record', error) });

  /** Writes recorded uses until all are written, a write fails, or `withinMs` has passed. */
  async function writeAllUse(withinMs: number): Promise<void> {
    const deadline = clock.elapsed() + withinMs;
    await writing.close();
    try {
      await writeNodeRequests(keyLimits);
      while (!(await keyCache.writeUse()) && clock.elapsed() < deadline);
    } catch (error) {
      failures.failed('key use record', error, { isStopping: true });
    }
  }

  const usage = (caller: Pick<Caller, 'user' | 'scopes'>, by?: UsageBy) =>
    readUsage(ledger, leases.of, caller, by, clock.now());

  return {
    ...leases,
    leasesOf: leases.of,
    // The gate calls these functions directly, because wrappers would slow down every call.
    holderOf: keyCache.holderOf,
    holderAtOnce: keyCache.holderAtOnce,
    holderOfHash: keyCache.holderOfHash,
    /** Records the use of a key. The database is updated within 2 s. */
    noteUse: keyCache.noteUse,
    noteExposure: keyCache.noteExposure,
    spendAtOnce: (key: KeyHolder, path: number, at: Instant, cost: number) =>
      spendAtOnce(charging, key, path, at, cost),

    /**
     * Charges the whole cost. Otherwise, throws `quota_exceeded` or `key_limit_exceeded`, and charges nothing. `waited`:
     * how long the call has already waited for the database, in ms.
     */
    spend(key: KeyHolder, path: number, waited = 0, cost = 1): Receipt | Promise<Receipt> {
      if (!isLimited(key)) return leases.spend(key.user, { keyId: key.id, path, cost }, waited);
      return (
        spendAtOnce(charging, key, path, instantOf(clock), cost) ?? spendLimited(charging, key, path, waited, cost)
      );
    },

    countNodeRequest: (key: KeyHolder) => countNodeRequest(charging, key),
    /** `by` breaks down the dates. Labels of keys require the scope `account`. */
    usage,

    /** The remaining calls according to this process or, if it holds no lease of the user, according to the ledger. */
    remaining(caller: Caller): number | Promise<number> {
      const lease = leases.of(caller.user.key).find(leases.isUsable);
      return lease ? remaining(lease) : usage(caller).then((counts) => counts.remaining);
    },

    /** Also call this after each change that this process makes, so that the change takes effect immediately. */
    sync: () => sync(charging, keyCache),
    poll,
    writeUse: writing.run,

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      void polling.close();
      void writing.close();
      leases.abandon();
    },

    async close(withinMs: number): Promise<void> {
      await Promise.all([polling.close(), leases.close(withinMs), writeAllUse(withinMs)]);
    },
  };
}

export type Allowance = ReturnType<typeof createAllowance>;
