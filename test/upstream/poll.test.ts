import { expect, test } from 'vitest';
import { createPoll } from '#upstream/poll';

function open() {
  const row = { what: 'latest', version: 1, fetchedAt: 5 as number | null };
  const reloaded: string[][] = [];
  let fault: Error | undefined;
  const poll = createPoll({
    refreshes: { read: async (names) => (names.includes(row.what) ? [{ ...row }] : []) },
    names: () => ['latest' as const],
    async reload(changed) {
      if (changed.length === 0) return;
      reloaded.push([...changed]);
      if (fault) throw fault;
    },
  });
  const fail = (error?: Error) => {
    fault = error;
  };
  return { poll, row, reloaded, fail };
}

test('what was stored is reloaded once, and then known', async () => {
  const { poll, row, reloaded } = open();
  expect([poll.version('latest'), poll.fetchedAt('latest')]).toEqual([0, undefined]);
  await poll.sync();
  await poll.sync();
  expect(reloaded).toEqual([['latest']]);
  expect([poll.version('latest'), poll.fetchedAt('latest')]).toEqual([1, 5]);
  [row.version, row.fetchedAt] = [2, 7];
  await poll.sync();
  expect(reloaded).toEqual([['latest'], ['latest']]);
  expect([poll.version('latest'), poll.fetchedAt('latest')]).toEqual([2, 7]);
});

test('what could not be reloaded is not known, and reloaded with the next poll', async () => {
  const { poll, reloaded, fail } = open();
  fail(new Error('away'));
  await expect(poll.sync()).rejects.toThrow('away');
  expect(poll.version('latest')).toBe(0);
  fail();
  await poll.sync();
  expect(reloaded).toHaveLength(2);
  expect(poll.version('latest')).toBe(1);
});

test('what was forgotten is reloaded as if it had never been known', async () => {
  const { poll, reloaded } = open();
  await poll.sync();
  poll.forget(['latest']);
  expect([poll.version('latest'), poll.fetchedAt('latest')]).toEqual([0, undefined]);
  await poll.sync();
  expect(reloaded).toHaveLength(2);
});

test('all who ask before a poll begins share it', async () => {
  const begun: (() => void)[] = [];
  const names = ['latest' as const];
  const poll = createPoll({
    refreshes: { read: () => new Promise((resolve) => begun.push(() => resolve([]))) },
    names: () => names,
    reload: async () => undefined,
  });
  const first = poll.sync();
  while (begun.length === 0) await Promise.resolve();
  const later = [poll.sync(), poll.sync(), poll.sync()];
  expect(new Set(later).size).toBe(1);
  begun[0]?.();
  await first;
  while (begun.length === 1) await Promise.resolve();
  begun[1]?.();
  await Promise.all(later);
  expect(begun).toHaveLength(2);
});
