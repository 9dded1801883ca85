import { compareLatencies } from './comparison.ts';
import type { Environment } from './environment.ts';
import { hasWrk, type Latencies } from './load.ts';
import { LATEST, openStand } from './stand.ts';
import { atMost, type Figure, seen } from './table.ts';

const inWords = ({ p50, p99, rate }: Latencies) => `${p99} µs (median ${p50} µs) at ${rate.toFixed(0)} a second`;

/** How much longer than bare Fastify the slowest hundredth takes, when both are asked at half of what bare can do. */
export async function measure(environment: Environment): Promise<Figure[]> {
  if (!hasWrk) {
    console.error('Latency is left out: only wrk, which is not installed, can ask so often at a given rate.');
    return [];
  }
  const stand = await openStand(environment);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const plain = await (await stand.twinsOf(latest)).plain();
  const { ratio, mine, theirs } = await compareLatencies(
    { url: latest, keys: [stand.key] },
    { url: `${plain.url}/`, keys: [] },
  );
  await stand.close();
  return [
    atMost(`p99 at half of bare Fastify's best rate, against its own`, ratio, 1.5, '×'),
    seen('… itself', inWords(mine)),
    seen("… bare Fastify's", inWords(theirs)),
  ];
}
