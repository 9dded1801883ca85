import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKeyHolderStore, type KeyHolderStore } from '#keys/key-holder-store';
import { byOperator } from '#users/authority';
import { firstTerm } from '#users/plan';
import { createUserStore, type UserStore } from '#users/user-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';

/* Last uses of keys are written while other statements hold locks on the same rows. */

const START = Date.UTC(2026, 0, 31, 12);
let database: TestDatabase;
let users: UserStore;
let store: KeyHolderStore;
beforeAll(async () => {
  database = await openTestDatabase();
  users = createUserStore(database.prisma);
  store = createKeyHolderStore(database.prisma, database.query);
});
afterAll(() => database?.close());

let made = 0;
async function makeKeys(count: number): Promise<number[]> {
  const user = { name: 'Ada', email: 'ada@example.org', limit: 1, createdAt: START };
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    made += 1;
    const { key } = await users.create(
      { ...user, ...firstTerm('monthly', START) },
      { hash: String(made).padStart(64, '0'), start: 'qt_0000', scopes: [] },
    );
    ids.push((await database.prisma.apiKey.findFirstOrThrow({ where: { userKey: key } })).id);
  }
  return ids;
}
const useOf = (at: number) => (id: number) => ({ id, at, origin: undefined });
const lastUses = async (ids: readonly number[]) => {
  const rows = await database.prisma.apiKey.findMany({
    where: { id: { in: [...ids] } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ lastUsedAt }) => lastUsedAt?.getTime());
};

it('skips a locked key and returns it, to be written again', async () => {
  const ids = await makeKeys(3);
  await database.prisma.$transaction(async (rotation) => {
    await rotation.$executeRaw`UPDATE api_key SET replaced_at = now() WHERE id = ${ids[1]}`;
    expect(await store.recordUse(ids.map(useOf(START)))).toEqual([ids[1]]);
  });
  expect(await lastUses(ids)).toEqual([START, undefined, START]);
  expect(await store.recordUse(ids.map(useOf(START)))).toEqual([]);
  expect(await lastUses(ids)).toEqual([START, START, START]);
});

it('keeps the later use of two processes, whichever process writes last, and writes nothing twice', async () => {
  const ids = await makeKeys(1);
  await store.recordUse(ids.map(useOf(START + 60_000)));
  const version = () => database.prisma.$queryRaw`SELECT xmin::text FROM api_key WHERE id = ${ids[0]}`;
  const before = await version();
  for (const at of [START, START + 60_000]) expect(await store.recordUse(ids.map(useOf(at)))).toEqual([]);
  expect(await version()).toEqual(before);
  expect(await lastUses(ids)).toEqual([START + 60_000]);
});

it('lets processes write the same thousands of keys concurrently without waiting for each other', async () => {
  const ids = await makeKeys(200);
  const rounds = Array.from({ length: 20 }, async (_, n) => {
    const mine = n % 2 === 0 ? ids : ids.toReversed();
    let left = mine.map(useOf(START + n * 60_000));
    while (left.length > 0) {
      const missed = new Set(await store.recordUse(left));
      left = left.filter(({ id }) => missed.has(id));
    }
  });
  await Promise.all(rounds);
  expect(await lastUses(ids)).toEqual(ids.map(() => START + 19 * 60_000));
});

it('writes nothing to a key that an erasure revokes while the statement waits or after that', async () => {
  const [id = 0] = await makeKeys(1);
  const { userKey } = await database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
  const use = { id, at: START, origin: 'https://shop.example' };
  let writing: Promise<number[]> | undefined;
  await database.prisma.$transaction(async (tx) => {
    await tx.apiKey.update({ where: { id }, data: { revokedAt: new Date(START) } });
    writing = store.recordUse([use]);
    await writing;
  });
  expect(await writing).toEqual([id]);
  await users.erase(byOperator(userKey, OPERATOR), START);
  expect(await store.recordUse([use])).toEqual([]);
  expect(await database.prisma.apiKey.findUnique({ where: { id } })).toMatchObject({
    ...{ seenOrigin: null, lastUsedAt: null, start: null },
  });
});

it('keeps an origin until another one is recorded, and skips a key that no longer exists', async () => {
  const [id = 0] = await makeKeys(1);
  const origin = 'https://shop.example:8443';
  expect(
    await store.recordUse([
      { id, at: START, origin },
      { id: 2_000_000, at: START, origin },
    ]),
  ).toEqual([]);
  await store.recordUse([{ id, at: START + 60_000, origin: undefined }]);
  expect(await database.prisma.apiKey.findUnique({ where: { id } })).toMatchObject({ seenOrigin: origin });
});
