import { hasCitus, startEmptyCluster } from '../fixtures/citus-cluster.ts';
import { startPostgresServer } from '../fixtures/postgres-server.ts';
import { freePort } from './free-port.ts';
import { hasWrk } from './load.ts';
import { booked, type Turn, use } from './ordinary/hundred-thousand.ts';
import { watchUnsettled } from './ordinary/unsettled.ts';
import { LATEST, openStand } from './stand.ts';
import { atLeast, type Figure, median, none, seen } from './table.ts';

const KEYS = 10_000;
const ROUNDS = 3;
/** The leases of all keys are open before the responses are counted. */
const TURN: Turn = { inUse: 25, counted: 8 };

/** A database that is measured. `prepare` is called when it has its users, and before the service starts. */
type Measured = { url: string; prepare: () => Promise<void>; close: () => Promise<void> };

const openServer = async (): Promise<Measured> => {
  const { url, close } = await startPostgresServer([], { fsync: 'off' });
  return { url, prepare: async () => undefined, close };
};
const openCluster = async (): Promise<Measured> => {
  const { url, distribute, close } = await startEmptyCluster();
  return { url, prepare: distribute, close };
};

/** The rate with all keys, and the difference between the calls in the ledger and the responses. */
async function round(open: () => Promise<Measured>) {
  const measured = await open();
  try {
    const database = { url: measured.url, drop: async () => undefined };
    const stand = await openStand({ databaseServer: measured.url }, KEYS, undefined, database);
    try {
      await measured.prepare();
      const port = await freePort();
      const { url } = await stand.startService({ METRICS_PORT: String(port) });
      const process = { latest: `${url}${LATEST}`, metrics: `http://127.0.0.1:${port}/metrics` };
      const unsettled = watchUnsettled([process.metrics]);
      const { rate, responses } = await use([process], [stand.keys], TURN);
      await unsettled.close();
      return { rate, difference: Math.abs((await booked(measured.url)) - responses) };
    } finally {
      await stand.close();
    }
  } finally {
    await measured.close();
  }
}

/** Compares a Citus cluster of a coordinator and two workers with one server. Both may use all cores. */
export async function measure(): Promise<Figure[]> {
  if (!hasCitus || !hasWrk) {
    console.error('The cluster is skipped: PostgreSQL has no extension citus, or wrk is not installed.');
    return [];
  }
  const [ratios, rates]: [number[], string[]] = [[], []];
  let difference = 0;
  for (let n = 0; n < ROUNDS; n++) {
    const [cluster, server] = [await round(openCluster), await round(openServer)];
    ratios.push(cluster.rate / server.rate);
    rates.push(`${cluster.rate.toFixed(0)} and ${server.rate.toFixed(0)}`);
    difference += cluster.difference + server.difference;
  }
  return [
    atLeast('10,000 active keys on a Citus cluster: rate against one server', median(ratios), 0.7),
    seen('… responses per second on the cluster and on the server, each round', rates.join(', ')),
    none('… difference between the calls in the ledger and the responses', difference),
  ];
}
