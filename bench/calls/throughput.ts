import { setTimeout as wait } from 'node:timers/promises';
import { compare, compareProcesses } from '../measuring/comparison.ts';
import { cpuTimeDuring } from '../measuring/cpu-time.ts';
import { load } from '../measuring/load.ts';
import { reading } from '../measuring/reading.ts';
import { residentSize } from '../measuring/resident-size.ts';
import { atLeast, atMost, type Figure, median } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { freePort } from '../stand/free-port.ts';
import type { Server } from '../stand/service-process.ts';
import { LATEST, openStand } from '../stand/stand.ts';

const MANY = 10_000;
/** Rounds that measure the CPU time of calls, and the seconds of each. */
const CPU = { rounds: 7, seconds: 3 };

export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, MANY);
  const { key, keys } = stand;
  const metricsPort = await freePort();
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
  const service = await stand.startService({ METRICS_PORT: String(metricsPort) });
  const latest = `${service.url}${LATEST}`;
  const year = `${service.url}/v1/prices/history/days?tokenName=bitcoin&days=365`;
  const figures: Figure[] = [];

  const quote = await stand.baselinesOf(latest);
  const plain = await quote.plain();
  const withHeaders = await quote.withHeaders();
  const [toPlain = 0, toWithHeaders = 0] = await compare(
    { url: latest, keys: [key] },
    { url: `${plain.url}/`, keys: [] },
    { url: `${withHeaders.url}/`, keys: [] },
  );
  figures.push(atLeast('latest/token against bare Fastify, same body', toPlain, 1.2));
  figures.push(atLeast('latest/token against bare Fastify, same body and headers', toWithHeaders, 0.97));
  const withOneKey = (await residentSize(service.pid)) ?? Number.NaN;

  for (const br of [false, true]) {
    const server = await (await stand.baselinesOf(year, { br })).plain();
    const target = { keys: [], ...(br && { br }) };
    const [ratio = 0] = await compare({ url: year, keys: [key], br }, { url: `${server.url}/`, ...target });
    figures.push(atLeast(`history/days?days=365${br ? ' with br' : ''}, against bare Fastify`, ratio, 1));
  }

  if (environment.databaseServer !== undefined) {
    // All processes are new, because earlier load affects a process's rate. All run from the sources, so that only the
    // charge differs.
    const start = (script: string) => stand.startService({}, script);
    const pairs: [Server, Server][] = [];
    for (let i = 0; i < 3; i++) pairs.push([await start('../src/serve.ts'), await start('stand/uncharged-server.ts')]);
    const target = ({ url }: Server) => ({ url: url + LATEST, keys: [key] });
    const charged = await compareProcesses(pairs.map(([one, other]) => [target(one), target(other)]));
    for (const server of pairs.flat()) await server.close();
    figures.push(atLeast('with charging against without', charged, 0.95));
  }

  // The single key is repeated in a list of the same length, so that the load generator's work is equal. Runs with one
  // key start when the other keys are idle, after five seconds and a tick. Runs with many keys start when all keys have
  // a lease.
  const useAll = () => load({ url: latest, keys, seconds: 3, connections: 512 });
  const untilIdle = () => wait(7_000);
  await useAll();
  const statements = async () => (await reading(metrics))('quotient_ledger_statements_total');
  const counted = { at: performance.now(), count: await statements() };
  const [manyToOne = 0] = await compare(
    { url: latest, keys, before: useAll },
    { url: latest, keys: keys.map(() => key), before: untilIdle },
  );
  const seconds = (performance.now() - counted.at) / 1000;
  const count = (await statements()) - counted.count;
  figures.push(atLeast('10,000 active keys against one', manyToOne, 0.9));

  // The statements of 10,000 keys run on the core of the load generator, so the service is not busy all the time.
  const cpuPerCall = async (prepare: () => Promise<unknown>, used: readonly string[]) => {
    await prepare();
    let rate = Number.NaN;
    const [user, kernel] = await cpuTimeDuring(service, async () => {
      rate = await load({ url: latest, keys: used, seconds: CPU.seconds });
    });
    return (user + kernel) / (rate * CPU.seconds);
  };
  const ratios: number[] = [];
  const oneKey = keys.map(() => key);
  for (let round = 0; round < CPU.rounds; round++)
    ratios.push((await cpuPerCall(useAll, keys)) / (await cpuPerCall(untilIdle, oneKey)));
  figures.push(atMost('10,000 active keys against one: CPU time of a call', median(ratios), 1.11, '×'));
  figures.push(atMost('accounting statements meanwhile', count / seconds, 60, 'per second'));
  figures.push(atMost('resident memory under load, one key', withOneKey, 200, 'MB'));
  const withAllKeys = (await residentSize(service.pid)) ?? Number.NaN;
  figures.push(atMost('resident memory under load, 10,000 keys', withAllKeys, 200, 'MB'));

  await stand.close();
  return figures;
}
