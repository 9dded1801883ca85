import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from '../../fixtures/citus-cluster.ts';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { type CountedResponse, hammer } from '../support/service/hammer.ts';

const LIMIT = 1_000_000;
const USERS = 16;

let cluster: Cluster;
let replicas: Replicas;
beforeAll(async () => {
  cluster = await startCluster();
  replicas = await startReplicas(2, { url: cluster.url });
});
afterAll(async () => {
  await replicas?.close();
  await cluster?.close();
});

type User = Awaited<ReturnType<Replicas['createUser']>>;

/** The ports of the workers that have the users' rows. */
async function portsOf(users: readonly User[]): Promise<Map<number, number>> {
  const keys = users.map(({ key }) => key);
  const rows = await replicas.prisma.$queryRaw<{ key: number; port: number }[]>`
    SELECT u AS key, nodeport AS port FROM unnest(${keys}::int[]) u JOIN pg_dist_shard_placement
      ON shardid = get_shard_id_for_distribution_column('lease', u)`;
  return new Map(rows.map(({ key, port }) => [key, port]));
}

/** The instant until which the processes live. */
async function aliveUntil(): Promise<number> {
  const { _min } = await replicas.prisma.process.aggregate({ _min: { expiresAt: true } });
  return _min.expiresAt?.getTime() ?? 0;
}

const start = (user: User) => {
  const loads = replicas.processes.map(({ url }) => hammer(url, user.apiKey, { connections: 1, everyMs: 50 }));
  onTestFinished(async () => {
    await Promise.all(loads.map(({ stop }) => stop()));
  });
  return {
    user,
    responses: (): CountedResponse[] => loads.flatMap(({ responses }) => responses),
    count: () => loads.reduce((sum, { count }) => sum + count(), 0),
    stop: () => Promise.all(loads.map(({ stop }) => stop())),
  };
};

it('a worker that is killed under load concerns only its users, and no call is lost or counted twice', async () => {
  const users: User[] = [];
  for (let n = 0; n < USERS; n++) users.push(await replicas.createUser(LIMIT));
  const ports = await portsOf(users);
  const [worker] = cluster.workers;
  const isLost = ({ key }: User) => ports.get(key) === worker?.port;
  // Half of the users have leases. The others make their first calls while the worker is down.
  const [early, late] = [users.slice(0, USERS / 2), users.slice(USERS / 2)];
  for (const half of [early, late]) expect(new Set(half.map(isLost)).size).toBe(2);

  const loads = early.map(start);
  await expect.poll(() => Math.min(...loads.map(({ count }) => count())), { timeout: 60_000 }).toBeGreaterThan(20);
  await worker?.stop('immediate');
  const renewedUntil = await aliveUntil();
  loads.push(...late.map(start));
  const reported = async () => {
    const rows = await Promise.all(users.filter((user) => !isLost(user)).map(({ key }) => replicas.ledgerRows(key)));
    return Math.min(...rows.map(({ daily }) => daily));
  };
  const before = await reported();
  await expect.poll(reported, { timeout: 60_000 }).toBeGreaterThan(before + 20);
  await expect.poll(aliveUntil, { timeout: 60_000 }).toBeGreaterThan(renewedUntil);
  const codes = (isOfLost: boolean) =>
    new Set(
      loads
        .filter(({ user }) => isLost(user) === isOfLost)
        .flatMap(({ responses }) => responses().map(({ status, code }) => code ?? status)),
    );
  expect(codes(false)).toEqual(new Set([200]));
  expect(codes(true)).toEqual(new Set([200, 'database_unavailable']));

  await worker?.start();
  const startedAt = performance.now();
  const servedSince = ({ responses }: (typeof loads)[0]) =>
    responses().filter(({ at, status }) => at > startedAt && status === 200).length;
  await expect.poll(() => Math.min(...loads.map(servedSince)), { timeout: 60_000 }).toBeGreaterThan(10);
  await Promise.all(loads.map(({ stop }) => stop()));
  expect(codes(false)).toEqual(new Set([200]));
  for (const { user, count } of loads)
    await expect
      .poll(() => replicas.ledgerRows(user.key), { timeout: 60_000 })
      .toMatchObject({ used: count(), daily: count() });
});
