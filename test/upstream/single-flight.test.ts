import { beforeEach, expect, test } from 'vitest';
import { SECOND } from '#core/clock';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createFetchRunner } from '#upstream/fetch-runner';
import { warningText } from '#upstream/freshness';
import { createSingleFlights, type SingleFlight } from '#upstream/single-flight';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { unlogged } from '../support/unlogged.ts';

let clock: TestClock;
/** The holder of the claim: none, this process, or another. */
let claimed: 'none' | 'mine' | 'theirs';
let version: number;
/** Reads what other processes have stored. */
let sync: () => Promise<void>;
let flights: ReturnType<typeof createSingleFlights>;
let singleFlight: SingleFlight<'latest'>;
beforeEach(() => {
  clock = createTestClock('2026-05-15T14:10:06Z');
  [claimed, version] = ['none', 1];
  sync = async () => undefined;
  const store: Pick<RefreshStore, 'claim' | 'release'> = {
    async claim(_what, _holder, _forMs, knownVersion) {
      if (claimed === 'theirs' || knownVersion !== version) return false;
      claimed = 'mine';
      return true;
    },
    async release() {
      claimed = 'none';
    },
  };
  const poll = { version: () => version, sync: () => sync() };
  flights = createSingleFlights({
    store: store as RefreshStore,
    timeoutMs: 10 * SECOND,
    clock,
    failures: unlogged,
  });
  singleFlight = flights.open<'latest'>(poll);
});

/** The store's handling of fetched data. */
async function stored(): Promise<void> {
  version += 1;
  claimed = 'none';
}
const unreachable = () => Promise.reject(new UpstreamFailure('coingecko', 'unreachable', 'away'));

/** Tries a fetch that fails. Returns false if the pause after a failure prevented the fetch. */
async function fail(): Promise<boolean> {
  const inFlight = singleFlight.start('latest', unreachable);
  await inFlight?.done.catch(() => undefined);
  return inFlight !== undefined;
}

test('requests during a fetch join it, and the next request starts another one', async () => {
  const first = singleFlight.start('latest', stored);
  expect(singleFlight.start('latest', stored)).toBe(first);
  await first?.done;
  expect(version).toBe(2);
  await singleFlight.start('latest', stored)?.done;
  expect(version).toBe(3);
});

test('data that another process fetches is waited for, and not fetched', async () => {
  claimed = 'theirs';
  sync = stored;
  await singleFlight.start('latest', unreachable)?.done;
  expect(version).toBe(2);
});

test('a timeout is reported if another process does not complete the fetch in time', async () => {
  claimed = 'theirs';
  sync = async () => clock.advance(10 * SECOND + 1);
  await expect(singleFlight.start('latest', stored)?.done).rejects.toMatchObject({ reason: 'timeout' });
});

test('the pause after a failure doubles each time, up to five minutes, and starts again after a success', async () => {
  for (const pause of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    expect(await fail()).toBe(true);
    clock.advance(pause * SECOND - 1);
    expect(await fail()).toBe(false);
    clock.advance(1);
  }
  await singleFlight.start('latest', stored)?.done;
  expect(singleFlight.warnings().map(warningText)).toEqual([]);
  expect(await fail()).toBe(true);
  expect(singleFlight.warnings().map(warningText)).toEqual(['latest: unreachable']);
  clock.advance(SECOND);
  expect(await fail()).toBe(true);
});

test('a failed fetch releases its claim', async () => {
  expect(await fail()).toBe(true);
  expect(claimed).toBe('none');
});

test('a short wait is a second from the start of the fetch, for all waiting requests', async () => {
  const held = Promise.withResolvers<void>();
  singleFlight.start('latest', () => held.promise);
  clock.advance(SECOND);
  const runner = createFetchRunner({ singleFlight, clock });
  setTimeout(held.resolve, 200);
  await runner.run('latest', 'moment', stored);
  expect(runner.outcome).toMatchObject({ fetched: false, refreshing: true });
  await singleFlight.idle();
});

test('the end waits for a fetch that stores its data, starts no other, and does not wait for other processes', async () => {
  const held = Promise.withResolvers<void>();
  const inFlight = singleFlight.start('latest', () => held.promise);
  const others = flights.open<'latest'>({ version: () => version, sync: async () => undefined });
  await Promise.resolve();
  claimed = 'theirs';
  const waiting = others.start('latest', stored);
  let isClosed = false;
  const closing = flights.close().then(() => {
    isClosed = true;
  });
  await expect(waiting?.done).rejects.toMatchObject({ reason: 'timeout' });
  expect([isClosed, singleFlight.start('latest', stored)]).toEqual([false, inFlight]);
  held.resolve();
  await closing;
  await inFlight?.done;
  expect(singleFlight.start('latest', stored)).toBeUndefined();
});
