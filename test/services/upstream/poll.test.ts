import { expect, test } from 'vitest';
import { createPoll } from '#services/upstream/poll';

/** A poll of two rows, of which one is not its concern. */
function open() {
  const row = { what: 'latest', version: 1, fetchedAt: 5 as number | null };
  const reloaded: string[][] = [];
  let fault: Error | undefined;
  const poll = createPoll({
    refreshes: { all: async () => [{ ...row }, { what: 'budget', version: 9, fetchedAt: null }] },
    concerns: (what): what is 'latest' => what === 'latest',
    async reload(changed) {
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
