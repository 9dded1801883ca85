import { join } from 'node:path';
import { freePort } from '../../bench/stand/free-port.ts';
import { makeDirectory, startDaemon } from './daemon.ts';
import { until } from './until.ts';

const READY_WITHIN = 30_000;

/** A single etcd server, which represents the part of the cluster that never fails. */
export async function startEtcd(folder: string) {
  const [port, peerPort] = [await freePort(), await freePort()];
  const home = await makeDirectory(join(folder, 'etcd'));
  const [url, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const daemon = await startDaemon(join(home, 'log'), 'etcd', [
    ...['--name', 'etcd', '--data-dir', join(home, 'data'), '--log-level', 'error', '--enable-v2'],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `etcd=${peers}`],
  ]);
  const isReady = async () => ((await (await fetch(`${url}/health`)).json()) as { health: string }).health === 'true';
  await until('etcd is ready', isReady, READY_WITHIN).catch(async (error) => {
    await daemon.end('SIGKILL');
    throw error;
  });
  return { port, close: () => daemon.end('SIGTERM') };
}
