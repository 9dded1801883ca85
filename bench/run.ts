/**
 * Measures the figures and prints them as a table, each beside its bar:
 *
 *     npm run bench                      all of them
 *     npm run bench -- start window      those named
 *
 * With `BENCH_DATABASE_URL` the throughput is measured on that PostgreSQL server (in a database made for it and
 * dropped afterwards), else on the embedded one.
 */
import { type Figure, printTable } from './table.ts';

const BENCHES = {
  start: () => import('./start.ts'),
  import: () => import('./import.ts'),
  window: () => import('./window.ts'),
  throughput: () => import('./throughput.ts'),
  day: () => import('./simulated-day.ts'),
  month: () => import('./simulated-month.ts'),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const [name, load] of Object.entries(BENCHES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.error(`${name} …`);
  figures.push(...(await (await load()).measure()));
}
printTable(figures);
process.exit(figures.some(({ isReached }) => isReached === false) ? 1 : 0);
