import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROUNDS, type Target, WARM_UP_SECONDS } from './comparison.ts';
import type { Latencies, Order } from './constant-rate.ts';
import { load } from './load.ts';
import { onCore } from './service-process.ts';
import { LATEST, openStand } from './stand.ts';
import type { Surroundings } from './surroundings.ts';
import { atMost, type Figure, median, seen } from './table.ts';

const SECONDS = 5;
const CONNECTIONS = 64;
const SCRIPT = new URL('./constant-rate.ts', import.meta.url).pathname;

/** How long answers take at so many calls a second, in µs. */
async function latencies({ url, keys }: Target, rate: number, seconds: number): Promise<Latencies> {
  const [key] = keys;
  const order: Order = { url, rate, seconds, connections: CONNECTIONS, ...(key !== undefined && { key }) };
  const [command, args] = onCore(1, process.execPath, [SCRIPT, JSON.stringify(order)]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const printed = await text(child.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error(`the load on ${url} failed`);
  return JSON.parse(printed) as Latencies;
}

/**
 * How much longer than bare Fastify the slowest hundredth takes, when both are asked at half the rate that bare
 * Fastify can do at its best: medians over rounds in which they take turns.
 */
export async function measure(surroundings: Surroundings): Promise<Figure[]> {
  const stand = await openStand(surroundings);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const plain = await (await stand.twinsOf(latest)).plain();
  const mine: Target = { url: latest, keys: [stand.key] };
  const bare: Target = { url: `${plain.url}/`, keys: [] };

  await load({ ...mine, seconds: WARM_UP_SECONDS });
  await load({ ...bare, seconds: WARM_UP_SECONDS });
  const rate = Math.round((await load({ ...bare, seconds: SECONDS })) / 2);

  const ratios: number[] = [];
  const p99s: { mine: number[]; bare: number[] } = { mine: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await latencies(mine, rate, SECONDS);
    const theirs = await latencies(bare, rate, SECONDS);
    p99s.mine.push(ours.p99);
    p99s.bare.push(theirs.p99);
    ratios.push(ours.p99 / theirs.p99);
  }
  console.error(`p99 at ${rate} calls a second, in µs: ${p99s.mine.join(' ')}, bare ${p99s.bare.join(' ')}`);
  await stand.close();
  return [
    atMost(`p99 at half of bare Fastify's best rate, against its own`, median(ratios), 1.5, '×'),
    seen('… itself', `${median(p99s.mine)} µs at ${rate} a second`),
  ];
}
