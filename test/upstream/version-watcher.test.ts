import { beforeEach, expect, test } from 'vitest';
import type { RefreshRow } from '#upstream/claims-and-budgets-store';
import type { Resource } from '#upstream/resource';
import { createVersionWatcher, type VersionWatcher } from '#upstream/version-watcher';

let stored: Map<Resource, RefreshRow>;
let statements: (readonly Resource[])[];
/** The event that a statement awaits before it returns its rows. */
let delay: Promise<void> | undefined;
let versions: VersionWatcher;
beforeEach(() => {
  stored = new Map();
  statements = [];
  delay = undefined;
  versions = createVersionWatcher({
    async read(names) {
      statements.push(names);
      const rows = names.flatMap((what) => stored.get(what) ?? []).map((row) => ({ ...row }));
      await delay;
      return rows;
    },
  });
});

const store = (resource: Resource, version: number, fetchedAt: number | null = null) =>
  stored.set(resource, { resource, version, fetchedAt });

function open(...names: Resource[]) {
  const reloaded: (readonly Resource[])[] = [];
  let fault: Error | undefined;
  const cache = versions.watch<Resource>({
    names: () => names,
    async reload(changed) {
      if (changed.length > 0) reloaded.push(changed);
      if (fault) throw fault;
    },
  });
  const fail = (error?: Error) => {
    fault = error;
  };
  return { ...cache, reloaded, fail };
}

test('stored data is reloaded once, and is then known', async () => {
  const { sync, version, fetchedAt, reloaded } = open('latest');
  store('latest', 1, 5);
  expect([version('latest'), fetchedAt('latest')]).toEqual([0, undefined]);
  await sync();
  await sync();
  expect(reloaded).toEqual([['latest']]);
  expect([version('latest'), fetchedAt('latest')]).toEqual([1, 5]);
  store('latest', 2, 7);
  await sync();
  expect(reloaded).toEqual([['latest'], ['latest']]);
  expect([version('latest'), fetchedAt('latest')]).toEqual([2, 7]);
});

test('a resource without a row keeps its version', async () => {
  const { sync, version, reloaded } = open('latest');
  store('latest', 1);
  await sync();
  stored.delete('latest');
  await versions.poll();
  expect(reloaded).toHaveLength(1);
  expect(version('latest')).toBe(1);
});

test('a cache is polled once, however often it is synchronized', async () => {
  const { sync } = open('latest');
  await sync();
  await sync();
  await versions.poll();
  expect(statements.at(-1)).toEqual(['latest']);
});

test('data that could not be reloaded is unknown, and is reloaded with the next update', async () => {
  const { sync, version, reloaded, fail } = open('latest');
  store('latest', 1);
  fail(new Error('away'));
  await expect(sync()).rejects.toThrow('away');
  expect(version('latest')).toBe(0);
  fail();
  await versions.poll();
  expect(reloaded).toHaveLength(2);
  expect(version('latest')).toBe(1);
});

test('forgotten data is reloaded as if it had never been known', async () => {
  const { sync, version, fetchedAt, forget, reloaded } = open('latest');
  store('latest', 1, 5);
  await sync();
  forget(['latest']);
  expect([version('latest'), fetchedAt('latest')]).toEqual([0, undefined]);
  await sync();
  expect(reloaded).toHaveLength(2);
});

test('all requests before an update share it', async () => {
  const { sync } = open('latest');
  const { promise, resolve } = Promise.withResolvers<void>();
  delay = promise;
  const first = sync();
  while (statements.length === 0) await Promise.resolve();
  const later = [sync(), sync(), sync()];
  expect(new Set(later).size).toBe(1);
  resolve();
  await Promise.all([first, ...later]);
  expect(statements).toHaveLength(2);
});

test('a poll is one statement for all caches, each of which reloads its own resources', async () => {
  const [tokens, prices, idle] = [open('tokens'), open('latest', 'chart:bitcoin'), open('rates')];
  await Promise.all([tokens.sync(), prices.sync()]);
  statements = [];
  store('tokens', 1);
  store('chart:bitcoin', 4);
  store('rates', 1);
  await versions.poll();
  expect(statements).toEqual([['tokens', 'latest', 'chart:bitcoin']]);
  expect([tokens.reloaded, prices.reloaded]).toEqual([[['tokens']], [['chart:bitcoin']]]);
  expect(idle.reloaded, 'a cache that was never requested').toEqual([]);
});

test("a poll whose statement is older than another poll's result changes nothing", async () => {
  const { sync, version, reloaded } = open('latest');
  store('latest', 1);
  await sync();
  const { promise, resolve } = Promise.withResolvers<void>();
  delay = promise;
  const poll = versions.poll();
  delay = undefined;
  store('latest', 2);
  await sync();
  resolve();
  await poll;
  expect(version('latest')).toBe(2);
  expect(reloaded).toHaveLength(2);
});

test('the failure of one cache is reported, and the others are updated', async () => {
  const [tokens, prices] = [open('tokens'), open('latest')];
  await Promise.all([tokens.sync(), prices.sync()]);
  store('tokens', 1);
  store('latest', 1);
  tokens.fail(new Error('away'));
  await expect(versions.poll()).rejects.toThrow('away');
  expect(prices.version('latest')).toBe(1);
});
