import { expect, test } from 'vitest';
import { openTestDatabase } from '../support/database/database.ts';

test('a check leaves no row', async () => {
  const { prisma, ready, close } = await openTestDatabase({ unshared: true });
  await ready();
  expect(await prisma.refresh.count()).toBe(0);
  await close();
});

test('a database that rejects writes is not ready, even if it can be read', async () => {
  const { prisma, ready, close } = await openTestDatabase({ unshared: true });
  await prisma.$executeRaw`
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`;
  await prisma.$executeRaw`
    CREATE TRIGGER no_room BEFORE INSERT ON refresh EXECUTE FUNCTION no_room()`;
  await expect(ready()).rejects.toThrow('53100');
  expect(await prisma.refresh.count()).toBe(0);
  await prisma.$executeRaw`DROP TRIGGER no_room ON refresh`;
  await ready();
  await close();
});
