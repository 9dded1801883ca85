import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSharedSecret } from '#database/shared-secret';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

it('all readers get the same value, even if they read it for the first time concurrently', async () => {
  const read = () => readSharedSecret(database.prisma, 'etag');
  const values = await Promise.all(Array.from({ length: 10 }, read));
  expect(new Set([...values, await read()]).size).toBe(1);
  expect(values[0]).toMatch(/^[\w-]{43}$/);
});
