import { compareLatencies } from '../measuring/comparison.ts';
import { hasWrk, type Latencies } from '../measuring/load.ts';
import { atMost, type Figure, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const inWords = ({ p50, p99, rate }: Latencies) => `${p99} µs (median ${p50} µs) at ${rate.toFixed(0)} per second`;

/** Compares the p99 with bare Fastify's, at half of bare Fastify's highest rate. */
export async function measure(environment: Environment): Promise<Figure[]> {
  if (!hasWrk) {
    console.error('Latency is skipped: wrk is not installed, and only wrk reaches the required rate.');
    return [];
  }
  const stand = await openStand(environment);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const plain = await (await stand.baselinesOf(latest)).plain();
  const { ratio, mine, theirs } = await compareLatencies(
    { url: latest, keys: [stand.key] },
    { url: `${plain.url}/`, keys: [] },
  );
  await stand.close();
  return [
    atMost(`p99 at half of bare Fastify's highest rate, against bare Fastify's`, ratio, 1.2, '×'),
    seen('… service', inWords(mine)),
    seen('… bare Fastify', inWords(theirs)),
  ];
}
