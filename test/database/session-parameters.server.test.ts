import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '#database/database';
import { connectTo } from '../support/database/client.ts';
import { withSession } from '../support/database/content.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { findPgBouncer, startPooler } from '../support/database/pooler.ts';
import { spawnService } from '../support/service/service-process.ts';

// Some tests start processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const AT = new Date('2026-03-29T00:59:59.123Z');
const PRICE = 0.1 + 0.2;

async function makeDatabase(...given: Parameters<typeof createTestDatabase>) {
  const database = await createTestDatabase(...given);
  onTestFinished(database.drop);
  return database.url;
}

async function open(url: string, poolSize?: number) {
  const database = await openDatabase({ url, dataDir: 'unused', ...(poolSize && { poolSize }) });
  onTestFinished(database.close);
  return database;
}

async function writePoint({ prisma }: Awaited<ReturnType<typeof openDatabase>>) {
  await prisma.point.create({
    data: {
      token: 'bitcoin',
      interval: 'day',
      at: AT,
      price: PRICE,
      source: 'coingecko',
      final: true,
      provisional: false,
    },
  });
}

const read = ({ prisma }: Awaited<ReturnType<typeof openDatabase>>) =>
  prisma.$queryRaw<{ at: Date; price: number }[]>`SELECT at, price FROM point`;

it.runIf(findPgBouncer())('parameters that another client leaves in a pooled session have no effect', async () => {
  const url = await makeDatabase('migrated', { isPooled: true });
  const pooler = await startPooler(url);
  onTestFinished(pooler.close);
  const behind = new URL(url);
  behind.port = new URL(pooler.url).port;
  const database = await open(behind.href);

  // The pooler has three sessions. pg_dump leaves such parameters in a session.
  const others = await Promise.all([1, 2, 3].map(() => connectTo(behind.href)));
  for (const other of others) await other.query('BEGIN');
  for (const other of others)
    await other.query(`SELECT set_config('search_path', '', false), set_config('TimeZone', 'Asia/Kolkata', false),
      set_config('DateStyle', 'German', false), set_config('extra_float_digits', '-15', false)`);
  for (const other of others) await other.query('COMMIT');
  await Promise.all(others.map((other) => other.end()));

  await writePoint(database);
  expect(await read(database)).toEqual([{ at: AT, price: PRICE }]);
  await database.prisma.$transaction(async (tx) => {
    const rows = await tx.$queryRaw`SELECT at, price, current_setting('transaction_isolation') AS level FROM point`;
    expect(rows).toEqual([{ at: AT, price: PRICE, level: 'read committed' }]);
  });
  await expect(database.prisma.$queryRaw`SELECT 1 / (count(*) - count(*)) FROM point`).rejects.toThrow('zero');
  await database.ready();
});

it.each(['LATIN1', 'SQL_ASCII'])('a database with the encoding %s ends the start', async (encoding) => {
  const url = await makeDatabase('empty', { encoding });
  const service = spawnService({ DATABASE_URL: url });
  expect(await service.exited).toEqual([2, null]);
  await service.logged(/encoding/);
  const { host } = new URL(url);
  expect(service.lines).toEqual([
    `cannot use the database at ${host}: its encoding is ${encoding}: use a database with the encoding UTF8`,
  ]);
});

it('the schema of the URL contains all tables, and `options` of the URL apply beside the required parameters', async () => {
  const url = new URL(await makeDatabase('empty', { suffix: "-'%# é" }));
  await (await open(url.href)).prisma.user.count();
  url.searchParams.set('schema', "Quo'tient .é");
  url.searchParams.set('options', '-c work_mem=7MB -c application_name=other');
  const database = await open(url.href);
  await writePoint(database);
  expect(await read(database)).toEqual([{ at: AT, price: PRICE }]);
  const settings = await database.prisma.$queryRaw`
    SELECT current_setting('work_mem') AS memory, current_setting('TimeZone') AS zone, current_schema() AS schema`;
  expect(settings).toEqual([{ memory: '7MB', zone: 'UTC', schema: "Quo'tient .é" }]);

  url.search = '';
  const [other] = await withSession(
    { url: url.href },
    async (session) => (await session.query('SELECT count(*) FROM point')).rows,
  );
  expect(other).toEqual({ count: '0' });
});
