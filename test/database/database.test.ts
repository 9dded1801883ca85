import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '#database/database';
import { SHORT_LIVED } from '../support/node-arguments.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quotient-data-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

async function rejection(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('the database was opened');
  return error;
}

async function closedPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

test('an acknowledged row survives a SIGKILL of the process, which locks the directory until then', async () => {
  const dataDir = join(directory, 'new', 'data');
  const module = new URL('../../src/database/database.ts', import.meta.url).href;
  const script = `
    const { openDatabase } = await import(${JSON.stringify(module)});
    const { prisma } = await openDatabase({ dataDir: process.argv[1] });
    await prisma.refresh.create({ data: { resource: 'latest' } });
    console.log('written');
  `;
  const child = spawn(process.execPath, [...SHORT_LIVED, '--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [output] = await once(child.stdout, 'data');
  expect(String(output)).toBe('written\n');
  const error = await rejection(openDatabase({ dataDir }));
  expect(error).toMatchObject({ code: 'DIRECTORY_IN_USE' });
  expect(error.message).toContain(`${dataDir} is in use by process ${child.pid}:`);
  child.kill('SIGKILL');
  await exited;

  const database = await openDatabase({ dataDir });
  expect(await database.prisma.refresh.findMany({ select: { resource: true } })).toEqual([{ resource: 'latest' }]);
  await database.close();
  await database.close();
});

test('the event loop keeps running while an embedded database is busy', async () => {
  const { prisma, close } = await openDatabase({ dataDir: join(directory, 'data') });
  let turns = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  count();
  await prisma.$queryRaw`SELECT count(*)::int FROM generate_series(1, 100000)`;
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(300);
  await close();
});

test('reports a directory that cannot be created, with the reason', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const dataDir = join(file, 'data');
  const error = await rejection(openDatabase({ dataDir }));
  expect(error.message).toBe(`the data directory ${dataDir} cannot be created or written: ENOTDIR`);
});

test('a database that cannot be opened is reported with the reason of the engine, and unlocked', async () => {
  const dataDir = join(directory, 'data');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'postgres'), 'not a directory');
  const { message } = await rejection(openDatabase({ dataDir }));
  expect(message).toMatch(`the embedded database in ${join(dataDir, 'postgres')} cannot be opened: file error`);
  expect(existsSync(join(dataDir, 'lock.pid'))).toBe(false);
  rmSync(join(dataDir, 'postgres'));
  await (await openDatabase({ dataDir })).close();
  const file = (name: string) => join(dataDir, 'postgres', name);
  const version = readFileSync(file('PG_VERSION'));
  writeFileSync(file('PG_VERSION'), '9999\n');
  expect((await rejection(openDatabase({ dataDir }))).message).toMatch(/cannot be opened: .*PostgreSQL version 9999/);
  writeFileSync(file('PG_VERSION'), version);
  writeFileSync(file('global/pg_control'), '');
  expect((await rejection(openDatabase({ dataDir }))).message).toMatch(/cannot be opened: .*global\/pg_control/);
});

test('reports a server that refuses the connection, without its password', async () => {
  const port = await closedPort();
  const url = `postgresql://grace:hunter2@127.0.0.1:${port}/quotient`;
  const error = await rejection(openDatabase({ url, dataDir: directory }));
  expect(error.message).toBe(
    `cannot connect to the database at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
  );
});

test('reports the reason for a host name with several addresses', async () => {
  const url = `postgresql://grace:hunter2@localhost:${await closedPort()}/quotient`;
  const error = await rejection(openDatabase({ url, dataDir: directory }));
  expect(error.message).toMatch(/^cannot connect to the database at localhost:\d+: .*ECONNREFUSED/);
  expect(error.message).not.toContain('hunter2');
});

test.each([
  'mysql://grace:hunter2@127.0.0.1/quotient',
  'postgresql://grace:hunter2/more@127.0.0.1/quotient',
  'postgresql://grace:55@hunter2/more@127.0.0.1/quotient',
  'postgresql://grace:55#hunter2@127.0.0.1/quotient',
  'postgresql://grace:55?hunter2@127.0.0.1/quotient',
  'postgresql://grace:hunter2@127.0.0.1:port/quotient',
])('reports a malformed URL without any part of it: %s', async (url) => {
  const error = await rejection(openDatabase({ url, dataDir: directory }));
  expect(error.message).toMatch(/^DATABASE_URL must have the form postgresql:/);
  expect(error.message).not.toMatch(/hunter2|grace|55/);
  expect(error.cause).toBeUndefined();
});
