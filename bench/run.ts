/**
 * Measures the figures, prints each group's figures with their targets, and writes all figures and a description of the
 * machine to `bench/results/latest.json`:
 *
 *     npm run bench                      all groups
 *     npm run bench -- start window      the named groups
 *
 * - PostgreSQL: the server at `BENCH_DATABASE_URL` (with temporary databases), or a temporary server that runs Debian's
 *   programs. If neither is available, the embedded database is measured.
 * - Load: `wrk`, or autocannon if `wrk` is not installed.
 * - Gateway for comparison: nginx with Lua, if installed.
 * - `BENCH_BEFORE=/path/to/checkout`: the group `before` compares the rates with those of another checkout, which must be
 *   built.
 * - `BENCH_NODE=/path/to/node`: all servers, including the baselines, run on that Node. Groups without a server
 *   (`import`, `window`, `currencies`, `day`, `month`, `catalogue`) always run on the bench's Node.
 */

import { measureNoise } from './measuring/noise.ts';
import { describeMachine, writeResults } from './measuring/results.ts';
import { type Figure, printRows, TABLE_HEAD } from './measuring/table.ts';
import { openEnvironment } from './stand/environment.ts';

const BENCHES = {
  start: () => import('./service/start.ts'),
  import: () => import('./prices/import.ts'),
  window: () => import('./prices/window.ts'),
  currencies: () => import('./prices/currencies.ts'),
  throughput: () => import('./calls/throughput.ts'),
  tokens: () => import('./calls/latest-tokens.ts'),
  coingecko: () => import('./calls/coingecko.ts'),
  ordinary: () => import('./ledger/ordinary.ts'),
  wal: () => import('./ledger/wal.ts'),
  distributed: () => import('./ledger/distributed.ts'),
  peers: () => import('./calls/peers.ts'),
  latency: () => import('./calls/latency.ts'),
  embedded: () => import('./calls/embedded.ts'),
  hostile: () => import('./calls/hostile.ts'),
  mcp: () => import('./calls/mcp.ts'),
  rpc: () => import('./calls/rpc.ts'),
  day: () => import('./simulated/day.ts'),
  month: () => import('./simulated/month.ts'),
  catalogue: () => import('./simulated/catalogue.ts'),
  path: () => import('./service/call-path.ts'),
  profile: () => import('./calls/profile.ts'),
  operator: () => import('./service/operator.ts'),
  before: () => import('./calls/before.ts'),
  tracing: () => import('./calls/tracing.ts'),
  stream: () => import('./calls/stream.ts'),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`unknown group: ${unknown.join(', ')}. Groups: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const environment = await openEnvironment();
const figures: Figure[] = [];
const failed: string[] = [];
let noise: number | undefined;
console.log(TABLE_HEAD);
for (const [name, load] of Object.entries(BENCHES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.error(`${name} …`);
  // The figures of the other groups are worth keeping: a whole run takes 20 minutes.
  const measured = await load()
    .then(({ measure }) => measure(environment))
    .catch((error: unknown) => {
      console.error(error);
      failed.push(name);
      return [];
    });
  figures.push(...measured);
  if (measured.some(({ margin }) => margin !== undefined)) noise ??= await measureNoise();
  printRows(measured, noise);
}
await environment.close();
const machine = describeMachine(environment.version);
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
console.log(`\nMeasured on ${Object.values(machine).join(', ')}.`);
if (noise !== undefined) console.log(`Noise: two equal servers differ by ${(noise * 100).toFixed(1)}%.`);
console.error(`results: ${await writeResults(machine, noise, figures)}`);
process.exit(failed.length > 0 || figures.some(({ isReached }) => isReached === false) ? 1 : 0);
