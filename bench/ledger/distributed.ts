import { hasCitus, startEmptyCluster } from '../../fixtures/citus-cluster.ts';
import { startPostgresServer } from '../../fixtures/postgres-server.ts';
import { countResponses, hasWrk, latencies, load } from '../measuring/load.ts';
import { atLeast, type Figure, median, none, seen } from '../measuring/table.ts';
import { execute } from '../stand/database.ts';
import { freePort } from '../stand/free-port.ts';
import { LATEST, openStand } from '../stand/stand.ts';
import { booked, type Turn, use } from './ordinary/hundred-thousand.ts';
import { watchUnsettled } from './ordinary/unsettled.ts';
import { every, type MeasuredDatabase, play } from './wal.ts';

const KEYS = 10_000;
const ROUNDS = 3;
/** The leases of all keys are open before the responses are counted. */
const TURN: Turn = { inUse: 40, counted: 10 };

/** The users of the cluster whose worker is killed, the calls per second of the others, and how long they are measured. */
const LOSS = { keys: 100, rate: 200, seconds: 12 };
const STEADY = { name: 'steady', keys: 1_000, minutes: 5, calls: every(2) };

const openServer = async (): Promise<MeasuredDatabase> => {
  const { url, close } = await startPostgresServer([], { fsync: 'off' });
  return { url, nodes: [url], prepare: async () => undefined, close };
};
const openCluster = async () => {
  const { url, workers, distribute, close } = await startEmptyCluster();
  return { url, workers, nodes: [url, ...workers.map((worker) => worker.url)], prepare: distribute, close };
};

/** The rate with all keys, and the difference between the calls in the ledger and the responses. */
async function round(open: () => Promise<MeasuredDatabase>) {
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

/** The keys of the users whose rows are on the worker, and those of the other users. Both are in order of creation. */
async function keysByWorker(url: string, keys: readonly string[], port: number) {
  const rows = await execute<{ port: number }>(
    url,
    `SELECT nodeport AS port FROM "user" u JOIN pg_dist_shard_placement
      ON shardid = get_shard_id_for_distribution_column('lease', u.key) ORDER BY u.key`,
  );
  const isOn = (_: string, n: number) => rows[n]?.port === port;
  return { lost: keys.filter(isOn), others: keys.filter((key, n) => !isOn(key, n)) };
}

/** Kills a worker while the users of all workers make calls. Measures the calls of the other workers' users. */
async function loseWorker(): Promise<Figure[]> {
  const cluster = await openCluster();
  try {
    const database = { url: cluster.url, drop: async () => undefined };
    const stand = await openStand({ databaseServer: cluster.url }, LOSS.keys, undefined, database);
    try {
      await cluster.prepare();
      const { url } = await stand.startService();
      const worker = cluster.workers[0] as (typeof cluster.workers)[0];
      const { lost, others } = await keysByWorker(cluster.url, stand.keys, worker.port);
      const measured = { url: `${url}${LATEST}`, keys: others, seconds: LOSS.seconds };
      // Opens the leases.
      await countResponses({ ...measured, keys: stand.keys, connections: 16 });
      // A rejected call of the other users ends the measurement with an error.
      const turn = async () => {
        // The calls of the lost worker's users are rejected when their leases have run out.
        const [figures] = await Promise.all([
          latencies(measured, LOSS.rate),
          load({ ...measured, keys: lost, connections: 1 }).catch(() => undefined),
        ]);
        return figures;
      };
      const before = await turn();
      await worker.stop('immediate');
      const during = await turn();
      const inWords = ({ rate, p50, p99 }: typeof before) =>
        `${rate.toFixed(0)} responses per second, p50 ${(p50 / 1000).toFixed(1)} ms, p99 ${(p99 / 1000).toFixed(1)} ms`;
      return [
        atLeast(
          "a killed worker: rate of the other workers' users against before, none rejected",
          during.rate / before.rate,
          0.95,
        ),
        seen('… before', inWords(before)),
        seen('… while the worker is down', inWords(during)),
      ];
    } finally {
      await stand.close();
    }
  } finally {
    await cluster.close();
  }
}

/** What the ledger writes on each node for keys with a call every 2 s. */
async function writes(): Promise<Figure[]> {
  const cluster = await openCluster();
  try {
    const { nodes, statements } = await play(cluster, STEADY);
    const text = nodes.map(
      ({ wal, writesPerTick }) => `${(wal / 1000).toFixed(1)} KB, ${writesPerTick.toFixed(1)} writes per tick`,
    );
    return [
      seen(
        'WAL on the coordinator and each worker, for each key of the cluster and hour, and its writes',
        text.join('; '),
      ),
      seen('… statements of the process for each key and hour', statements.toFixed(1)),
    ];
  } finally {
    await cluster.close();
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
    ...(await loseWorker()),
    ...(await writes()),
  ];
}
