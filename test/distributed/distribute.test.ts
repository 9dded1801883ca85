import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#database/database';
import { distribute, readNodes } from '#database/distribute';
import { openSession } from '#database/session';
import { startPostgresServer } from '../../fixtures/postgres-server.ts';
import { usageRows } from '../ledger/allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from '../ledger/ledger-user.ts';
import { fill } from '../support/database/filled.ts';
import { type Cluster, startCluster } from './cluster.ts';

const START = Date.UTC(2026, 4, 10, 12);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.close());

async function open(url: string) {
  const opened = await openSession({ url });
  onTestFinished(opened.close);
  return opened.session;
}

it('is refused on a server without Citus, and changes nothing there', async () => {
  const server = await startPostgresServer();
  onTestFinished(server.close);
  const session = await open(server.url);
  await expect(distribute(session)).rejects.toThrow(/CREATE EXTENSION citus/);
  expect(await readNodes(session)).toEqual([]);
});

it('changes nothing the second time, and the workers have the rows', async () => {
  const session = await open(cluster.url);
  await fill(session, { days: 1, hours: 1, users: 200, usageDays: 3 });
  expect(await distribute(session)).toBe(0);
  const nodes = await readNodes(session);
  expect(nodes.map(({ node }) => node).sort()).toEqual(cluster.workers.map(({ port }) => `127.0.0.1:${port}`).sort());
  for (const { shards, bytes } of nodes) expect(Math.min(shards, bytes)).toBeGreaterThan(0);
  const { rows } = await session.query<{ calls: number }>('SELECT count(*)::int AS calls FROM usage_day');
  expect(rows).toEqual([{ calls: 600 }]);
});

it('while a worker is stopped, grants are rejected, and nothing is granted twice afterwards', async () => {
  const database = await openDatabase({ url: cluster.url, dataDir: 'unused' });
  onTestFinished(database.close);
  const users: LedgerUser[] = [];
  for (let n = 0; n < 8; n++) users.push(await openLedgerUser(database, START));
  const process = (await users[0]?.startProcess()) ?? '';
  const grants = (want: number) =>
    Promise.allSettled(users.map(({ grant }) => grant(process, { want, need: 1 }))).then((all) =>
      all.map((one) => (one.status === 'fulfilled' ? one.value?.granted : undefined)),
    );
  expect(await grants(1)).toEqual(users.map(() => 1));
  const [worker] = cluster.workers;
  await worker?.stop('immediate');
  expect(await grants(2)).toContain(undefined);
  await worker?.start();
  await expect.poll(() => grants(3)).toEqual(users.map(() => 3));
  for (const { key } of users) expect(await usageRows(database, key)).toMatchObject([{ used: 0, outstanding: 3 }]);
});
