import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../bench/stand/free-port.ts';
import { startStallingProxy } from '../support/database/stalling-proxy.ts';
import { childrenOf, type Daemon, makeDirectory, signal, startDaemon } from './daemon.ts';
import { until } from './until.ts';

/**
 * In seconds. `ttl` is the shortest value that Patroni accepts; a lost primary is replaced after this time. A primary
 * that cannot reach etcd for `retry_timeout` stops accepting writes. `retry_timeout` is at most half of the difference
 * between `ttl` and `loop_wait`.
 */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 9 };
const TRUST = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
/** Written when PostgreSQL accepts writes. `%n` in the prefix is the time, in seconds. */
const PROMOTED = /^(\d+\.\d+) .*database system is ready to accept connections$/gm;
const ENDS_WITHIN = 15_000;

type Options = { name: string; folder: string; postgres: string; etcdPort: number; dcs: object };

/**
 * A PostgreSQL server under Patroni. Its connections to etcd and to its replicas pass through proxies that can stall.
 */
export async function createMember({ name, folder, postgres, etcdPort, dcs }: Options) {
  const [port, restPort] = [await freePort(), await freePort()];
  const home = await makeDirectory(join(folder, name));
  const dataDir = join(home, 'data');
  const log = join(home, 'log');
  const etcdProxy = await startStallingProxy(`http://127.0.0.1:${etcdPort}`);
  const replicaProxy = await startStallingProxy(`http://127.0.0.1:${port}`);
  const addressOf = ({ url }: { url: string }) => new URL(url).host;
  const settings = {
    scope: 'quotient',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // API v2, because before 3.0.3, a primary that continues after a pause reacquires the lock over etcd's API v3
    // (patroni#2689). `use_proxies` keeps Patroni from finding etcd's own address.
    etcd: { use_proxies: true, hosts: [addressOf(etcdProxy)] },
    bootstrap: {
      dcs: { ...TIMES, ...dcs, postgresql: { use_pg_rewind: true } },
      initdb: [{ auth: 'trust' }, { encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: addressOf(replicaProxy),
      data_dir: dataDir,
      bin_dir: postgres,
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      pg_hba: TRUST,
      parameters: { unix_socket_directories: home, log_line_prefix: '%n ', shared_buffers: '32MB' },
    },
  };
  const settingsFile = join(home, 'patroni.yml');
  // JSON is YAML.
  await writeFile(settingsFile, JSON.stringify(settings), { mode: 0o644 });
  let patroni: Daemon | undefined;

  /** PostgreSQL's main process, the parent of all others. */
  async function postmaster(): Promise<number | undefined> {
    const file = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(file, 10);
    return pid > 0 && signal(pid, 0) ? pid : undefined;
  }

  async function signalPostgres(name: NodeJS.Signals): Promise<void> {
    const main = await postmaster();
    if (main === undefined) return;
    // The main process is stopped first, so that it starts no further processes.
    for (const pid of [main, ...(await childrenOf(main))]) signal(pid, name);
  }

  async function signalAll(name: NodeJS.Signals): Promise<void> {
    if (patroni?.isRunning()) signal(patroni.pid, name);
    await signalPostgres(name);
  }

  const ended = () => until(`PostgreSQL of ${name} ends`, async () => !(await postmaster()), ENDS_WITHIN);

  return {
    name,
    port,
    restPort,
    url: (database: string) => `postgresql://postgres@127.0.0.1:${port}/${database}`,

    async start(): Promise<void> {
      patroni = await startDaemon(log, 'patroni', [settingsFile]);
    },

    /** Ends all processes at once, as a power failure would. */
    async kill(): Promise<void> {
      const patroniEnded = patroni?.end('SIGKILL');
      await signalPostgres('SIGKILL');
      await patroniEnded;
      await ended();
    },
    /** Ends PostgreSQL, but not Patroni. */
    crash: () => signalPostgres('SIGKILL'),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),

    /** Loses all data between the member and etcd. */
    cutOff: etcdProxy.stall,
    reconnect: etcdProxy.resume,
    /** Loses all data between the member and its replicas. */
    cutOffReplicas: replicaProxy.stall,
    reconnectReplicas: replicaProxy.resume,

    /** When PostgreSQL last began to accept writes, in Unix ms; 0 if it never did. */
    async promotedAt(): Promise<number> {
      const lines = await readFile(log, 'utf8');
      return Number([...lines.matchAll(PROMOTED)].at(-1)?.[1] ?? 0) * 1000;
    },
    log: () => readFile(log, 'utf8'),

    async close(): Promise<void> {
      await signalAll('SIGCONT');
      if (patroni?.isRunning()) await patroni.end('SIGKILL');
      const main = await postmaster();
      // An immediate shutdown, which leaves no shared memory.
      if (main !== undefined) signal(main, 'SIGQUIT');
      await ended();
      await Promise.all([etcdProxy.close(), replicaProxy.close()]);
    },
  };
}

export type Member = Awaited<ReturnType<typeof createMember>>;
