import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { distribute, readNodes } from '#database/distribute';
import { migrate } from '#database/migrations';
import { type Cluster, startCluster } from '../../fixtures/citus-cluster.ts';
import { startPostgresServer } from '../../fixtures/postgres-server.ts';
import { contentOf, withSession } from '../support/database/content.ts';
import { copy } from '../support/database/copying.ts';
import { fill } from '../support/database/filled.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.close());

async function startServer() {
  const server = await startPostgresServer();
  onTestFinished(server.close);
  return server;
}

it('copies a server onto a cluster, and the cluster to another server', async () => {
  const [source, target] = [await startServer(), await startServer()];
  await withSession(source, async (session) => {
    await migrate(session);
    await fill(session, { days: 2, hours: 2, users: 100, usageDays: 30 });
  });

  const stop = new AbortController();
  const interrupted = await copy(source, cluster, {
    on: (event) => void (event.kind === 'copying' && event.table === 'usage_day' && stop.abort()),
    signal: stop.signal,
  });
  expect(interrupted.outcome).toEqual({ kind: 'interrupted' });
  expect((await copy(source, cluster)).outcome).toMatchObject({ kind: 'finished', copied: 100 * 30 - 2_000 });
  const rows = await withSession(cluster, readNodes);
  for (const { bytes } of rows) expect(bytes).toBeGreaterThan(0);
  expect(rows).toHaveLength(cluster.workers.length);

  expect((await copy(cluster, target)).outcome).toMatchObject({ kind: 'finished' });
  expect(await contentOf(target)).toEqual(await contentOf(source));
  expect(await withSession(cluster, distribute)).toBe(0);
});
