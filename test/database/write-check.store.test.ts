import { expect, test } from 'vitest';
import { withSession } from '../support/database/content.ts';
import { openTestDatabase } from '../support/database/database.ts';

test('a database that rejects writes is not ready, even if it can be read', async () => {
  const { prisma, ready, close, url } = await openTestDatabase({ unshared: true });
  // On a server, the service's own connections are restricted to its statements.
  const execute = async (statement: string) =>
    url ? withSession({ url }, (session) => session.exec(statement)) : prisma.$executeRawUnsafe(statement);
  await execute(`
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`);
  await execute('CREATE TRIGGER no_room BEFORE INSERT ON refresh EXECUTE FUNCTION no_room()');
  await expect(ready()).rejects.toThrow('53100');
  expect(await prisma.refresh.count()).toBe(0);
  await execute('DROP TRIGGER no_room ON refresh');
  await ready();
  await close();
});
