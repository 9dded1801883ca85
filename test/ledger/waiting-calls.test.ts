import { beforeEach, expect, it, vi } from 'vitest';
import { DAY } from '#core/clock';
import { createLeases } from '#ledger/leases';
import type { LedgerStore } from '#ledger/statements/ledger-store';
import { unlogged } from '../support/unlogged.ts';
import { BY_HAND, type HandClock, handClock } from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const CALL = { keyId: 1, path: 1, cost: 1 };

let clock: HandClock;
beforeEach(() => {
  clock = handClock(START);
});

/** A process whose ledger grants every request once it is released. `sizes` are the numbers of leases in statements. */
function open() {
  const sizes: number[] = [];
  let responding = Promise.resolve();
  const statement = async (requests: readonly { want: number }[]) => {
    sizes.push(requests.length);
    await responding;
    const rest = { limit: 10_000, left: 9_000, held: null };
    return requests.map(({ want }, i) => ({ n: i + 1, granted: want, ...rest }));
  };
  const report = async (reports: readonly unknown[]) => {
    sizes.push(reports.length);
    await responding;
    return reports.length;
  };
  const done = async () => [];
  const ledger = {
    open: done,
    grant: statement,
    report,
    close: statement,
    live: async () => true,
    sweep: done,
    shardsOf: done,
    leave: done,
  };
  const leases = createLeases({ ledger: ledger as unknown as LedgerStore, clock, failures: unlogged, tickMs: BY_HAND });
  const spend = async (key: number) =>
    leases.keep(
      await leases.spend({ key, limit: 10_000, plan: 'monthly', anchor: START, validUntil: 2 * START }, CALL),
    );
  return {
    leases,
    spend,
    sizes,
    hold() {
      const held = Promise.withResolvers<void>();
      responding = held.promise;
      return held;
    },
  };
}

/** Resolves when all work that can start has started. */
async function started(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

it('a call that arrives during a look-up of its key waits for that statement and starts no other', async () => {
  const { spend, sizes, hold, leases } = open();
  const held = hold();
  const first = spend(1);
  await started();
  const others = Array.from({ length: 15 }, () => spend(1));
  await started();
  held.resolve();
  await Promise.all([first, ...others]);
  expect(sizes).toEqual([1]);
  leases.abandon();
});

it('keys that arrive together share a statement, which does not wait for an earlier one', async () => {
  const { spend, sizes, hold, leases } = open();
  const held = hold();
  const first = spend(0);
  await started();
  const others = Array.from({ length: 300 }, (_, n) => spend(n + 1));
  await started();
  expect(sizes).toEqual([1, 300]);
  held.resolve();
  await Promise.all([first, ...others]);
  expect(sizes).toEqual([1, 300]);
  leases.abandon();
});

it('a call waits at most 5 s for the ledger, including the look-up of its key; the statement continues', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { leases, hold } = open();
    const user = { key: 1, limit: 10_000, plan: 'monthly', anchor: START, validUntil: 2 * START } as const;
    const held = hold();
    const calls = [0, 4_000].map((waited) => Promise.allSettled([leases.spend(user, CALL, waited)]));
    await started();
    const refused = { status: 'rejected', reason: { code: 'database_unavailable' } };
    vi.advanceTimersByTime(1_000);
    expect(await Promise.race([calls[1], started()])).toMatchObject([refused]);
    expect(leases.of(1)).toMatchObject([{ granted: 0 }]);
    vi.advanceTimersByTime(3_000);
    held.resolve();
    expect(await calls[0]).toMatchObject([{ status: 'fulfilled' }]);
    expect(leases.spendAtOnce(user, CALL, { wall: START, elapsed: 0 })).toBeDefined();
    leases.abandon();
  } finally {
    vi.useRealTimers();
  }
});

it('a call that waits behind a failing statement is rejected with it, and does not wait for another statement', async () => {
  const { spend, sizes, hold, leases } = open();
  const held = hold();
  const first = spend(0);
  await started();
  const behind = spend(1);
  const refused = Promise.allSettled([first, behind]);
  held.reject(new Error('the connection was cut'));
  for (const response of await refused)
    expect(response).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
  expect(sizes).toEqual([1]);
  clock.pass(1_000);
  hold().resolve();
  await spend(1);
  expect(sizes).toEqual([1, 1]);
  leases.abandon();
});

it('a lease is usable for 18 s after its request, however late the response arrives', async () => {
  const { spend, hold, leases } = open();
  const held = hold();
  const requestedAt = clock.elapsed();
  const first = spend(1);
  await started();
  clock.pass(3_000);
  held.resolve();
  await first;
  const user = { key: 1, limit: 10_000, plan: 'monthly', anchor: START, validUntil: 2 * START } as const;
  const atElapsed = (elapsed: number) => leases.spendAtOnce(user, CALL, { wall: START, elapsed });
  expect(atElapsed(requestedAt + 17_999)).toBeDefined();
  expect(atElapsed(requestedAt + 18_000)).toBeUndefined();
  leases.abandon();
});

it('a tick reports every lease with spent calls, in statements of bounded size', async () => {
  const { spend, sizes, leases } = open();
  await Promise.all(Array.from({ length: 8_000 }, (_, n) => spend(n)));
  sizes.length = 0;
  await leases.settle();
  expect(sizes).toEqual([5_000, 3_000]);
  leases.abandon();
});

it('a first call does not wait for the statements of a tick', async () => {
  const { spend, sizes, hold, leases } = open();
  await spend(1);
  const held = hold();
  const ticked = leases.settle();
  await started();
  hold().resolve();
  await spend(2);
  expect(sizes).toEqual([1, 1, 1]);
  held.resolve();
  await ticked;
  leases.abandon();
});

it('a user with a pending grant is in no other statement, even if the date or limit changes or the process stops', async () => {
  const { spend, sizes, hold, leases } = open();
  const held = hold();
  const call = spend(1);
  await started();
  hold().resolve();
  leases.review([{ key: 1, limit: 5_000 }]);
  await started();
  clock.pass(DAY);
  await leases.settle();
  expect(sizes).toEqual([1]);
  held.resolve();
  await call;
  await leases.close(10_000);
  expect(leases.of(1)).toEqual([]);
});
