import { join } from 'node:path';
import { inject } from 'vitest';
import { startSandbox } from '#sandbox/server';
import { execute } from '../../bench/stand/database.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { startServicePair } from './service-pair.ts';

/** The ways in which the service finds the primary. Each has a database and a pair of processes. */
const WAYS = { balanced: 'balancedUrl', hosts: 'hostsUrl' } as const;
type Way = keyof typeof WAYS;

/** A cluster, and pairs of service processes on it. */
export async function openStand(ways: readonly Way[], dcs?: object) {
  const closers: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const end of closers.splice(0).reverse()) await end().catch(console.error);
  }

  async function startPair(cluster: Cluster, way: Way, settings: Record<string, string>) {
    await execute(cluster.balancedUrl('postgres'), `CREATE DATABASE ${way}`);
    const options = { name: way, main: join(inject('builtService'), 'build/serve.js'), cwd: cluster.folder, settings };
    const urls = { url: cluster[WAYS[way]](way), testUrl: cluster.balancedUrl(way) };
    const pair = await startServicePair({ ...options, ...urls });
    closers.push(() => {
      pair.signal('SIGCONT');
      return pair.close();
    });
    return pair;
  }

  async function start() {
    const sandbox = await startSandbox();
    closers.push(sandbox.close);
    const cluster = await startCluster(dcs);
    closers.push(cluster.close);
    const settings = {
      COINGECKO_URL: sandbox.coingeckoUrl,
      KRAKEN_URL: sandbox.krakenUrl,
      EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    };
    const pairs = [];
    for (const way of ways) pairs.push(await startPair(cluster, way, settings));
    return { cluster, pairs };
  }

  const { cluster, pairs } = await start().catch(async (error) => {
    await close();
    throw error;
  });
  return { cluster, pairs, close };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
