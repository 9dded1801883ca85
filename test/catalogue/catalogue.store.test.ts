import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCatalogue, TOKENS_CHANGED } from '#catalogue/open';
import { BUILT_IN_TOKENS, type Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { createDeadline } from '#database/deadline';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createVersionWatcher } from '#upstream/version-watcher';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
const DOGECOIN: Token = {
  ...{ name: 'dogecoin', symbol: 'doge', title: 'Dogecoin', begins: '2013-12-08', listed: '2013-12-15' },
  ...{ statistics: false, pair: 'XDGUSD' },
};
const OTHER_BTC: Token = { ...DOGECOIN, name: 'other-bitcoin', symbol: 'btc', pair: undefined };

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const open = () => {
  const { prisma } = database;
  const versions = createVersionWatcher(createRefreshStore(prisma));
  return openCatalogue({ database, deadline: createDeadline(() => false), versions });
};
const store = () => createTokenStore(database.prisma);

test('a new database contains the built-in tokens of the code', async () => {
  expect((await open()).all()).toEqual(BUILT_IN_TOKENS);
});

describe('a process applies', () => {
  test('the addition of a token with all its members', async () => {
    const catalogue = await open();
    const before = catalogue.generation();
    await catalogue.sync();
    expect(catalogue.generation()).toBe(before);
    await store().add(TOKENS_CHANGED, DOGECOIN);
    expect(catalogue.find('doge')).toBeUndefined();
    await catalogue.sync();
    expect(catalogue.find('DOGE')).toEqual(DOGECOIN);
    expect(catalogue.all()).toEqual([...BUILT_IN_TOKENS, DOGECOIN]);
    expect(catalogue.generation()).toBeGreaterThan(before);
  });

  test('the removal of a token, and its repeated addition in its old position, with its new values', async () => {
    const catalogue = await open();
    await store().add(TOKENS_CHANGED, OTHER_BTC);
    await store().add(TOKENS_CHANGED, DOGECOIN);
    expect(await store().remove(TOKENS_CHANGED, 'other-bitcoin', NOW)).toBe(true);
    await catalogue.sync();
    expect(catalogue.all()).toEqual([...BUILT_IN_TOKENS, DOGECOIN]);
    expect(await store().remove(TOKENS_CHANGED, 'other-bitcoin', NOW)).toBe(false);

    await store().add(TOKENS_CHANGED, { ...OTHER_BTC, title: 'Another' });
    await catalogue.sync();
    expect(catalogue.all()).toEqual([...BUILT_IN_TOKENS, { ...OTHER_BTC, title: 'Another' }, DOGECOIN]);
  });
});

test('a shared symbol belongs to the token that was added first', async () => {
  await store().add(TOKENS_CHANGED, OTHER_BTC);
  const catalogue = await open();
  expect(catalogue.find('btc')?.name).toBe('bitcoin');
  expect(catalogue.find('other-bitcoin')).toEqual(OTHER_BTC);
});
