import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, compareLatencies } from '../measuring/comparison.ts';
import { hasWrk } from '../measuring/load.ts';
import { peakSize, residentSize } from '../measuring/resident-size.ts';
import { atLeast, atMost, type Figure, seen } from '../measuring/table.ts';
import { SERVICE } from '../stand/node.ts';
import { startServer } from '../stand/service-process.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const ROUNDS = 3;

/** The peak memory of a first start in an empty directory and of a second start in the same directory, in MB. */
async function peaksOfStart(): Promise<[number, number]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const peak = async () => {
    const env = { DATA_DIR: dataDir, PORT: '0', DATABASE_URL: '' };
    const server = await startServer(SERVICE, env, { isPinned: false });
    await fetch(`${server.url}/health/ready`);
    const megabytes = await peakSize(server.pid);
    await server.close();
    return megabytes;
  };
  const peaks: [number, number] = [await peak(), await peak()];
  await rm(dataDir, { recursive: true });
  return peaks;
}

/** Compares the service with bare Fastify on the embedded database, whose thread shares the service's core. */
export async function measure(): Promise<Figure[]> {
  const peaks: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) peaks.push(await peaksOfStart());

  const stand = await openStand({ databaseServer: undefined });
  const service = await stand.startService();
  const mine = { url: `${service.url}${LATEST}`, keys: [stand.key] };
  const plain = await (await stand.baselinesOf(mine.url)).plain();
  const theirs = { url: `${plain.url}/`, keys: [] };
  const [throughput = 0] = await compare(mine, theirs);
  const figures = [
    atMost('embedded: highest memory at the first start', Math.max(...peaks.map(([first]) => first)), 500, 'MB'),
    atMost('embedded: highest memory at a later start', Math.max(...peaks.map(([, later]) => later)), 500, 'MB'),
    atLeast('embedded: latest/token against bare Fastify, same body', throughput, 1.1),
  ];
  if (hasWrk) {
    const latency = await compareLatencies(mine, theirs);
    figures.push(
      atMost("embedded: p99 at half of bare Fastify's highest rate, against bare Fastify's", latency.ratio, 1.2, '×'),
    );
    figures.push(seen('… service / bare Fastify', `${latency.mine.p99} µs / ${latency.theirs.p99} µs`));
  }
  const resident = await residentSize(service.pid);
  figures.push(atMost('embedded: resident memory under load', resident ?? Number.NaN, 280, 'MB'));
  await stand.close();
  return figures;
}
