import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBalancer } from './balancer.ts';
import { startEtcd } from './etcd.ts';
import { startGuard } from './guard.ts';
import { createMember, type Member } from './member.ts';
import { findPostgres } from './programs.ts';
import { until } from './until.ts';

/** Patroni 3.0 does not quote names: `first` and `any` are key words in `synchronous_standby_names`. */
const NAMES = ['db1', 'db2', 'db3'];
/** How long a cluster may take to start, or to be whole again after a fault, in ms. */
const WHOLE_WITHIN = 90_000;

type MemberState = { name: string; role: string; state: string; lag?: number };

/**
 * Three PostgreSQL servers under Patroni, with etcd, and HAProxy in front.
 * @param dcs Patroni's settings of the cluster
 */
export async function startCluster(dcs: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-failover-'));
  await chmod(folder, 0o755);
  const guard = startGuard(folder);
  const closers: (() => Promise<unknown>)[] = [guard.close, () => rm(folder, { recursive: true, force: true })];
  const members: Member[] = [];
  let isSynchronous = true;

  async function close(): Promise<void> {
    for (const end of closers.splice(0).reverse()) await end().catch(console.error);
  }

  /** The members' states, from the first member that responds. */
  const states = (): Promise<MemberState[]> =>
    Promise.any(
      members.map(async ({ restPort }) => {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1_000) });
        return ((await response.json()) as { members: MemberState[] }).members;
      }),
    );

  /** Returns the primary. Throws unless every member runs and replicates. */
  async function primaryOfWhole(): Promise<Member> {
    const all = await states();
    const inRole = (role: string) => all.filter((one) => one.role === role && one.state === 'running');
    const [leader] = inRole('leader');
    const isWhole =
      inRole('sync_standby').length === (isSynchronous ? 1 : 0) &&
      inRole('replica').length === (isSynchronous ? 1 : 2) &&
      all.every((one) => one === leader || one.lag === 0);
    if (!isWhole) throw new Error(`the cluster is not whole: ${JSON.stringify(all)}`);
    return members.find(({ name }) => name === leader?.name) as Member;
  }

  const whole = (): Promise<Member> => until('the cluster is whole', primaryOfWhole, WHOLE_WITHIN);

  async function start() {
    const etcd = await startEtcd(folder);
    closers.push(etcd.close);
    const settings = { synchronous_mode: true, ...dcs };
    for (const name of NAMES) {
      const options = { name, folder, postgres: findPostgres() ?? '', etcdPort: etcd.port, dcs: settings };
      const member = await createMember(options);
      members.push(member);
      closers.push(member.close);
      await member.start();
      // The first member initialises the cluster, and is its primary.
      if (members.length === 1)
        await until('the cluster is initialised', async () => (await member.promotedAt()) > 0, WHOLE_WITHIN);
    }
    const balancer = await startBalancer(folder, members);
    closers.push(balancer.close);
    await whole();
    return balancer.port;
  }

  const balancerPort = await start().catch(async (error) => {
    for (const member of members) console.error(await member.log().catch(() => ''));
    await close();
    throw error;
  });
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join();

  return {
    folder,
    members: members as readonly Member[],
    whole,
    close,
    /** The URL of a database, through HAProxy. */
    balancedUrl: (database: string) => `postgresql://postgres@127.0.0.1:${balancerPort}/${database}`,
    /** The URL of a database, with every member. */
    hostsUrl: (database: string) => `postgresql://postgres@${hosts}/${database}?target_session_attrs=read-write`,

    /** Waits until a member begins to accept writes after an instant (Unix ms). Returns the member, and when. */
    promotedAfter: (instant: number) =>
      until(
        'a member is promoted',
        async () => {
          const times = await Promise.all(members.map(async (member) => ({ member, at: await member.promotedAt() })));
          return times.find(({ at }) => at > instant);
        },
        WHOLE_WITHIN,
      ),

    async setSynchronous(value: boolean): Promise<void> {
      const { restPort } = await whole();
      const body = JSON.stringify({ synchronous_mode: value });
      const response = await fetch(`http://127.0.0.1:${restPort}/config`, { method: 'PATCH', body });
      if (!response.ok) throw new Error(await response.text());
      isSynchronous = value;
      await whole();
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;
