import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database/database.ts';
import { runProcess } from './run-command.ts';

it('names a database without users on a server, without its password', async () => {
  const { url, drop } = await createTestDatabase();
  const { host, pathname } = new URL(url);
  const given = new URL(url);
  given.password = 'hunter2';
  const { code, stderr } = await runProcess('users', ['list'], { DATABASE_URL: `${given}?sslmode=disable` });
  await drop();
  expect([code, stderr]).toEqual([
    0,
    `The database at ${host}${pathname} has no users. To use another database, set DATABASE_URL.\n`,
  ]);
});

it('names a database whose host is in the environment', async () => {
  const { url, drop } = await createTestDatabase();
  const { hostname, port, username, pathname } = new URL(url);
  const env = { PGHOST: hostname, PGPORT: port, DATABASE_URL: `postgresql://${username}:any@${pathname}` };
  const { code, stderr } = await runProcess('users', ['list'], env);
  await drop();
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^The database at \S+ has no users\..*\n$/)]);
});
