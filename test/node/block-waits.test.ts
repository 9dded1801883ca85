import { expect, test } from 'vitest';
import { systemClock } from '#core/clock';
import { NodeRejection } from '#cosmos/exchange';
import type { LegacyTransaction } from '#cosmos/legacy-shapes';
import { createBlockWaits } from '#node/block-waits';
import { createTestClock } from '../../fixtures/clock.ts';

const [HASH, OTHER] = ['AB'.repeat(32), 'CD'.repeat(32)];
const inBlock = { height: '12', txhash: HASH } as LegacyTransaction;
const unknown = () => Promise.reject(new NodeRejection(404, 'tx not found'));

/** Waits on a clock that advances only while a call waits. `looks` are the looked-up hashes. */
function waits(respond: (look: number) => Promise<LegacyTransaction>) {
  const clock = createTestClock('2026-05-15T14:00:00Z');
  const looks: string[] = [];
  const waitForBlock = createBlockWaits({
    clock,
    lookUp: (hash) => respond(looks.push(hash)),
    wait: async (ms) => clock.advance(ms),
  });
  return { waitForBlock, looks, clock };
}

test('all calls that wait for a hash share one poller, and each hash has its own poller', async () => {
  const { waitForBlock, looks } = waits((look) => (look < 8 ? unknown() : Promise.resolve(inBlock)));
  const found = await Promise.all([
    ...Array.from({ length: 50 }, () => waitForBlock(HASH, 20_000)),
    waitForBlock(OTHER, 20_000),
  ]);
  expect(new Set(found)).toEqual(new Set([inBlock]));
  expect(looks.length).toBeLessThan(12);
  expect(new Set(looks)).toEqual(new Set([HASH, OTHER]));
});

test('each call waits for its own time limit, and the poller for the longest of them', async () => {
  const { waitForBlock, looks, clock } = waits(unknown);
  const received: [string, number][] = [];
  const report = (name: string) => () => void received.push([name, clock.elapsed()]);
  const all = [waitForBlock(HASH, 3000).then(report('long')), waitForBlock(HASH, 1000).then(report('short'))];
  await Promise.all(all);
  expect(received).toEqual([
    ['short', 1000],
    ['long', 3000],
  ]);
  const before = looks.length;
  expect(await waitForBlock(HASH, 4000)).toBeUndefined();
  expect(looks.length).toBeGreaterThan(before);
});

test('a call that arrives when all others time out is still polled for', async () => {
  const { waitForBlock } = waits((look) => (look < 6 ? unknown() : Promise.resolve(inBlock)));
  const late = waitForBlock(HASH, 1000).then((found) => [found, waitForBlock(HASH, 20_000)]);
  const [first, second] = await late;
  expect([first, await second]).toEqual([undefined, inBlock]);
});

test('without waiting calls, nothing is looked up', async () => {
  const gone = new AbortController();
  const { waitForBlock, looks, clock } = waits(async (look) => {
    if (look === 3) gone.abort();
    return unknown();
  });
  expect(await waitForBlock(HASH, 20_000, gone.signal)).toBeUndefined();
  expect(await waitForBlock(HASH, 20_000, gone.signal)).toBeUndefined();
  await new Promise(setImmediate);
  expect(looks.length).toBe(3);
  expect(clock.elapsed()).toBeLessThan(1000);
});

test('a call that is cancelled does not affect the other calls', async () => {
  const gone = new AbortController();
  const { waitForBlock } = waits(async (look) => {
    if (look === 2) gone.abort();
    return look < 5 ? unknown() : inBlock;
  });
  const waiting = [waitForBlock(HASH, 20_000, gone.signal), waitForBlock(HASH, 20_000)];
  expect(await Promise.all(waiting)).toEqual([undefined, inBlock]);
});

test('an internal error reaches all waiting calls, except cancelled ones', async () => {
  const fault = new Error('a fault');
  const failing = waits(() => Promise.reject(fault));
  const received = await Promise.allSettled([failing.waitForBlock(HASH, 20_000), failing.waitForBlock(HASH, 20_000)]);
  expect(received.map((one) => one.status === 'rejected' && one.reason)).toEqual([fault, fault]);
  const gone = new AbortController();
  const lookUp = async () => {
    gone.abort();
    throw fault;
  };
  const waitForBlock = createBlockWaits({ lookUp, clock: systemClock });
  expect(await waitForBlock(HASH, systemClock.elapsed() + 5000, gone.signal)).toBeUndefined();
  await new Promise(setImmediate);
});
