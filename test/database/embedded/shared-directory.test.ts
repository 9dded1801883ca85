import { type EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isDatabaseUnable } from '#database/connection/unreachable';
import { type Database, openDatabase } from '#database/database';
import { reachEmbedded } from '#database/embedded';
import { startMessage } from '#database/embedded/messages';

/** The connection of a `pg` client. */
type Wire = { parse(query: { text: string }): void; flush(): void; stream: { destroy(): void } };

let directory: string;
let database: Database;
const ends: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'quotient-data-'));
  database = await openDatabase({ dataDir: directory, onEnd: (reason) => ends.push(reason) });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

let clients: pg.Client[] = [];
beforeEach(() => {
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await database.prisma.refresh.deleteMany();
});

/** A client in the position of another process, which knows only the directory. */
async function connect() {
  const { config } = await reachEmbedded({ dataDir: directory, isShared: true });
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

const count = () => database.prisma.refresh.count();

test('a directory in use is shared through its process, if the caller allows it', async () => {
  const other = await openDatabase({ dataDir: directory, isShared: true });
  await other.prisma.refresh.create({ data: { resource: 'latest' } });
  expect(await count()).toBe(1);
  await other.close();
  expect(await count()).toBe(1);
  await expect(openDatabase({ dataDir: directory })).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
});

test('the directory is in use if the process accepts no connections', async () => {
  const far = join(directory, 'a'.repeat(100));
  const owner = await reachEmbedded({ dataDir: far });
  await expect(openDatabase({ dataDir: far, isShared: true })).rejects.toMatchObject({
    code: 'DIRECTORY_IN_USE',
  });
  await owner.close();
});

test('only this user can access the socket', () => {
  expect(statSync(join(directory, '.s.PGSQL.5432')).mode & 0o777).toBe(0o600);
});

test.each([
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a cancel request', Buffer.from([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 2])],
  ['another protocol version', Buffer.from([0, 0, 0, 8, 0, 2, 0, 0])],
  ['a length that is too short', Buffer.from([0, 0, 0, 4, 0, 3, 0, 0])],
  ['a message that is too short', Buffer.concat([startMessage('me', 'mine'), Buffer.from('Q\0\0\0\x03')])],
  ['a message of two gigabytes', Buffer.concat([startMessage('me', 'mine'), Buffer.from('Q\x7f\0\0\0')])],
])('closes a connection that sends %s, and serves other clients', async (_what, bytes) => {
  const socket = connectSocket(join(directory, '.s.PGSQL.5432'));
  socket.resume().write(bytes);
  await once(socket, 'close');
  expect(await count()).toBe(0);
});

test('a client in a transaction has the session to itself until it ends', async () => {
  const client = await connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO refresh (resource) VALUES ('one')`);
  let counted: number | undefined;
  const counting = count().then((n) => {
    counted = n;
  });
  await client.query(`INSERT INTO refresh (resource) VALUES ('two')`);
  await client.query('SELECT 1');
  expect(counted).toBeUndefined();
  await client.query('COMMIT');
  await counting;
  expect(counted).toBe(2);
});

test('the transaction of a disconnected client is rolled back, and other clients continue', async () => {
  const client = await connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO refresh (resource) VALUES ('one')`);
  const counting = count();
  (client as unknown as { connection: Wire }).connection.stream.destroy();
  expect(await counting).toBe(0);
});

test('a client that disconnects within a rejected statement is rolled back as well', async () => {
  const client = await connect();
  const { connection } = client as unknown as { connection: EventEmitter & Wire };
  const refused = once(connection, 'errorMessage');
  connection.parse({ text: 'SELECT nothing()' });
  connection.flush();
  await refused;
  connection.stream.destroy();
  expect(await count()).toBe(0);
});

test('a client’s settings and temporary tables end with its connection', async () => {
  const one = await connect();
  await one.query(`SET work_mem = '7MB'; CREATE TEMP TABLE mine (n int)`);
  await one.end();
  const other = await connect();
  expect((await other.query('SHOW work_mem')).rows).toEqual([{ work_mem: '4MB' }]);
  await expect(other.query('SELECT * FROM mine')).rejects.toThrow('does not exist');
});

test('statements and responses of several megabytes arrive completely', async () => {
  const client = await connect();
  const text = 'täglich '.repeat(500_000);
  const { rows } = await client.query('SELECT $1::text AS text, length($1) AS length', [text]);
  expect(rows[0].length).toBe(text.length);
  expect(rows[0].text === text).toBe(true);
  const [row] = await database.prisma.$queryRaw<{ text: string }[]>`SELECT ${text}::text AS text`;
  expect(row?.text === text).toBe(true);
});

test('when the engine ends, pending statements fail as database unavailable, and later ones succeed', async () => {
  await database.prisma.refresh.create({ data: { resource: 'latest' } });
  const client = await connect();
  await client.query('BEGIN');
  const waiting = count().catch((error: unknown) => error);
  // The engine cannot wait for the data of COPY, so it ends.
  await expect(client.query('COPY refresh (resource) FROM STDIN')).rejects.toThrow();
  expect(isDatabaseUnable(await waiting)).toBe(true);
  await expect.poll(() => ends).toHaveLength(1);
  await expect.poll(() => count().catch(() => undefined)).toBe(1);
});

test('the socket is removed when the database is closed', async () => {
  const dataDir = join(directory, 'other');
  const owner = await reachEmbedded({ dataDir });
  expect(existsSync(join(dataDir, '.s.PGSQL.5432'))).toBe(true);
  await owner.close();
  expect(existsSync(join(dataDir, '.s.PGSQL.5432'))).toBe(false);
});
