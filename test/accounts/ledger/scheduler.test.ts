import { expect, it, onTestFinished } from 'vitest';
import { createScheduler, type Statement } from '#accounts/ledger/scheduler';
import { systemClock } from '#core/clock';
import { unlogged } from '../../support/unlogged.ts';
import { BY_HAND } from './allowance-harness.ts';

/** Resolves when all work that can start has started. */
async function begin(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

/** A scheduler whose statements last until the test ends them. `began` lists the started statements in order. */
function open({ ticks = [] as string[], activeUsers = 0 } = {}) {
  const began: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const statement =
    (name: string): Statement =>
    () => {
      began.push(name);
      const ending = Promise.withResolvers<void>();
      ends.set(name, ending);
      return ending.promise;
    };
  let asked = 0;
  let granted = 0;
  const scheduler = createScheduler({
    settleAsking: () => statement(`asked ${++asked}`)(),
    grantFirst: () => statement(`granted ${++granted}`)(),
    begin: () => ({ activeUsers, statements: ticks.map(statement) }),
    clock: systemClock,
    failures: unlogged,
    tickMs: BY_HAND,
  });
  onTestFinished(() => scheduler.close());
  const finish = async (name: string, fault?: Error) => {
    if (fault) ends.get(name)?.reject(fault);
    else ends.get(name)?.resolve();
    await begin();
  };
  return { scheduler, began, finish };
}

it('calls that wait share the next statement, which starts when the current one ends', async () => {
  const { scheduler, began, finish } = open();
  const first = scheduler.soon();
  await begin();
  expect(began).toEqual(['asked 1']);
  const others = [scheduler.soon(), scheduler.soon(), scheduler.soon()];
  await begin();
  expect(began).toEqual(['asked 1']);
  await finish('asked 1');
  await first;
  expect(began).toEqual(['asked 1', 'asked 2']);
  await finish('asked 2');
  await Promise.all(others);
  expect(began).toEqual(['asked 1', 'asked 2']);
});

it('a failed statement fails for all calls that share it, and not for the next statement', async () => {
  const { scheduler, began, finish } = open();
  const [first, same] = [scheduler.soon(), scheduler.soon()];
  const refused = Promise.allSettled([first, same]);
  await begin();
  const later = scheduler.soon();
  await finish('asked 1', new Error('the connection was cut'));
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(began).toEqual(['asked 1', 'asked 2']);
  await finish('asked 2');
  await expect(later).resolves.toBeUndefined();
});

it('work that arrives during a tick runs before the tick’s unstarted work', async () => {
  const { scheduler, began, finish } = open({ ticks: ['piece 1', 'piece 2', 'piece 3'] });
  const ticked = scheduler.tick();
  await begin();
  const waiting = scheduler.soon();
  await finish('piece 1');
  expect(began).toEqual(['piece 1', 'asked 1']);
  await finish('asked 1');
  await waiting;
  expect(began).toEqual(['piece 1', 'asked 1', 'piece 2']);
  await finish('piece 2');
  await finish('piece 3');
  await ticked;
});

it('first grants wait only for each other', async () => {
  const { scheduler, began, finish } = open({ ticks: ['piece 1', 'piece 2'] });
  const ticked = scheduler.tick();
  await begin();
  const first = scheduler.soonGranted();
  await begin();
  expect(began).toEqual(['piece 1', 'granted 1']);
  const others = [scheduler.soonGranted(), scheduler.soonGranted()];
  await finish('piece 1');
  expect(began).toEqual(['piece 1', 'granted 1', 'piece 2']);
  await finish('granted 1');
  expect(began).toEqual(['piece 1', 'granted 1', 'piece 2', 'granted 2']);
  await finish('piece 2');
  await finish('granted 2');
  await Promise.all([ticked, first, ...others]);
});

it('the remaining statements of a failed tick are not sent', async () => {
  const { scheduler, began, finish } = open({ ticks: ['piece 1', 'piece 2'] });
  const ticked = Promise.allSettled([scheduler.tick()]);
  await begin();
  await finish('piece 1', new Error('the connection was cut'));
  expect((await ticked)[0].status).toBe('rejected');
  expect(began).toEqual(['piece 1']);
});

it.each([
  [0, 1],
  [10_000, 1],
  [25_000, 2.5],
  [100_000, 4],
])('with %i active users, every user is settled every %f s', async (activeUsers, seconds) => {
  const { scheduler } = open({ activeUsers });
  await scheduler.tick();
  expect(scheduler.interval() / BY_HAND).toBe(seconds);
});
