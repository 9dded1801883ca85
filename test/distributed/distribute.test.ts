import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { distribute, readNodes } from '#database/distribute';
import { openSession } from '#database/session';
import { type Cluster, startCluster } from '../../fixtures/citus-cluster.ts';
import { startPostgresServer } from '../../fixtures/postgres-server.ts';
import { fill } from '../support/database/filled.ts';

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
