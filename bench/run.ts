/**
 * Measures the figures and prints them as a table, each beside its bar; also as JSON, to `bench/results/latest.json`,
 * with the machine they were seen on:
 *
 *     npm run bench                      all of them
 *     npm run bench -- start window      those named
 *
 * Needs a PostgreSQL server: that of `BENCH_DATABASE_URL` (in databases made for it and dropped afterwards), else one
 * that it starts for itself from Debian's programs; without either, the embedded one is measured. Load comes from
 * `wrk`, else from autocannon; the gateway beside which the service is measured is nginx with Lua, if it is installed.
 * With `BENCH_BEFORE=/path/to/checkout` the bench `before` compares the rates with those of another, built checkout.
 * With `BENCH_NODE=/path/to/node` all servers run on that Node, those that are compared with too; what is measured
 * without a server (`import`, `window`, `currencies`, `day`, `month`, `catalogue`) runs on the Node that runs the bench.
 */

import { openEnvironment } from './environment.ts';
import { describeMachine, writeResults } from './results.ts';
import { type Figure, printTable } from './table.ts';

const BENCHES = {
  start: () => import('./start.ts'),
  import: () => import('./import.ts'),
  window: () => import('./window.ts'),
  currencies: () => import('./currencies.ts'),
  throughput: () => import('./throughput.ts'),
  tokens: () => import('./latest-tokens.ts'),
  ordinary: () => import('./ordinary.ts'),
  peers: () => import('./peers.ts'),
  latency: () => import('./latency.ts'),
  embedded: () => import('./embedded.ts'),
  hostile: () => import('./hostile.ts'),
  day: () => import('./simulated-day.ts'),
  month: () => import('./simulated-month.ts'),
  catalogue: () => import('./simulated-catalogue.ts'),
  path: () => import('./call-path.ts'),
  before: () => import('./before.ts'),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const environment = await openEnvironment();
const figures: Figure[] = [];
try {
  for (const [name, load] of Object.entries(BENCHES)) {
    if (named.length > 0 && !named.includes(name)) continue;
    console.error(`${name} …`);
    figures.push(...(await (await load()).measure(environment)));
  }
} finally {
  await environment.close();
}
const machine = describeMachine(environment.version);
printTable(figures);
console.log(`\nSeen on ${Object.values(machine).join(', ')}.`);
console.error(`written to ${await writeResults(machine, figures)}`);
process.exit(figures.some(({ isReached }) => isReached === false) ? 1 : 0);
