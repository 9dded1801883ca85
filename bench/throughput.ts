import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { systemClock } from '../src/domain/clock.ts';
import { startSandbox } from '../src/sandbox/server.ts';
import { createUsers } from '../src/services/users.ts';
import { openDatabase } from '../src/stores/database.ts';
import { createUserStore } from '../src/stores/users.ts';
import { load } from './load.ts';
import { type Server, startServer } from './service-process.ts';
import { atLeast, atMost, type Figure, median } from './table.ts';

const ROUNDS = 5;
const SECONDS = 3;
/** Until the compiler has seen it all: the more code a call passes, the longer that takes. */
const WARM_UP_SECONDS = 6;
const MANY = 10_000;
/** A limit that does not end. */
const ENDLESS = 2_000_000_000;

/** A database of its own on the server that is named, or an embedded one. */
async function makeDatabase(directory: string) {
  const server = process.env.BENCH_DATABASE_URL;
  if (!server) return { env: { DATA_DIR: directory, DATABASE_URL: '' }, drop: async () => undefined };
  const name = `quotient_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    env: { DATA_DIR: directory, DATABASE_URL: url.href },
    async drop() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

async function enrol(env: { DATABASE_URL: string; DATA_DIR: string }, count: number): Promise<string[]> {
  const database = await openDatabase({ url: env.DATABASE_URL || undefined, dataDir: env.DATA_DIR });
  const users = createUsers({ store: createUserStore(database.prisma), clock: systemClock });
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const form = { name: `User ${i}`, email: 'user@example.org', plan: 'monthly' } as const;
    keys.push((await users.create(form, ENDLESS)).apiKey);
  }
  await database.close();
  return keys;
}

/** What a bare server has to send to send the same: the body, and the headers that are not Node's own. */
async function same(directory: string, url: string, key: string, br = false) {
  const raw = await request(url, {
    headers: { 'x-api-key': key, 'accept-encoding': br ? 'br' : 'identity' },
  });
  if (raw.statusCode !== 200) throw new Error(`${url}: ${raw.statusCode} ${await raw.body.text()}`);
  const file = join(directory, `body-${Math.random()}`);
  await writeFile(file, Buffer.from(await raw.body.arrayBuffer()));
  const own = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
  const headers = Object.fromEntries(Object.entries(raw.headers).filter(([name]) => !own.has(name)));
  return {
    file,
    headers: JSON.stringify(headers),
    type: JSON.stringify({ 'content-type': headers['content-type'] }),
  };
}

/** `before` each turn, what the target needs to be as it is in use. */
type Target = { url: string; keys: readonly string[]; br?: boolean; before?: () => Promise<unknown> };

/** The rate of the first in proportion to each of the others: medians over rounds in which they take turns. */
async function compare(first: Target, ...others: Target[]): Promise<number[]> {
  const ratios: number[][] = others.map(() => []);
  for (const target of [first, ...others]) await load({ ...target, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round++) {
    await first.before?.();
    const mine = await load({ ...first, seconds: SECONDS });
    for (const [i, other] of others.entries()) {
      ratios[i]?.push(mine / (await load({ ...other, seconds: SECONDS })));
    }
  }
  return ratios.map(median);
}

const bare = (file: string, headers: string) =>
  startServer('./bare-server.ts', { BODY_FILE: file, HEADERS: headers });

async function residentMegabytes({ pid }: Server): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function statements(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(/^quotient_ledger_statements_total (\d+)/m.exec(text)?.[1] ?? 0);
}

export async function measure(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const { env: database, drop } = await makeDatabase(join(directory, 'data'));
  const keys = await enrol(database, MANY);
  const [key = ''] = keys;
  const sandbox = await startSandbox({ plan: 'demo' });
  const metricsPort = 39_000 + (process.pid % 1000);
  const env = {
    ...database,
    PORT: '0',
    BURST_PER_SECOND: '0',
    COINGECKO_PLAN: 'demo',
    COINGECKO_URL: sandbox.coingeckoUrl,
    METRICS_PORT: String(metricsPort),
  };
  const opened: Server[] = [];
  const open = async (starting: Promise<Server>) => {
    const server = await starting;
    opened.push(server);
    return server;
  };

  const service = await open(startServer('../src/main.ts', env));
  const latest = `${service.url}/v1/prices/latest/token?tokenName=bitcoin`;
  const year = `${service.url}/v1/prices/history/days?tokenName=bitcoin&days=365`;
  const figures: Figure[] = [];

  const quote = await same(directory, latest, key);
  const plain = await open(bare(quote.file, quote.type));
  const dressed = await open(bare(quote.file, quote.headers));
  const [toPlain = 0, toDressed = 0] = await compare(
    { url: latest, keys: [key] },
    { url: `${plain.url}/`, keys: [] },
    { url: `${dressed.url}/`, keys: [] },
  );
  figures.push(atLeast('latest/token against bare Fastify, same body', toPlain, 0.9));
  figures.push(atLeast('latest/token against bare Fastify, same body and headers', toDressed, 0.97));

  for (const br of [false, true]) {
    const series = await same(directory, year, key, br);
    const server = await open(bare(series.file, series.type));
    const target = { keys: [], ...(br && { br }) };
    const [ratio = 0] = await compare({ url: year, keys: [key], br }, { url: `${server.url}/`, ...target });
    figures.push(atLeast(`history/days?days=365${br ? ' with br' : ''}, against bare Fastify`, ratio, 0.85));
  }

  if (database.DATABASE_URL) {
    // Two processes that have served nothing else: what a process has served before is felt in what it serves next.
    const charging = await open(startServer('../src/main.ts', { ...env, METRICS_PORT: '' }));
    const uncharged = await open(startServer('./uncharged-server.ts', { ...env, METRICS_PORT: '' }));
    const path = '/v1/prices/latest/token?tokenName=bitcoin';
    const [charged = 0] = await compare(
      { url: `${charging.url}${path}`, keys: [key] },
      { url: `${uncharged.url}${path}`, keys: [key] },
    );
    figures.push(atLeast('with charging against without', charged, 0.95));
    await charging.close();
    await uncharged.close();
  }

  // Keys that are not used for five seconds give back what they hold: before each turn all of them are in use again.
  const inUse = () => load({ url: latest, keys, seconds: 5, connections: 512 });
  await inUse();
  const before = {
    at: performance.now(),
    count: await statements(`http://127.0.0.1:${metricsPort}/metrics`),
  };
  const [manyToOne = 0] = await compare({ url: latest, keys, before: inUse }, { url: latest, keys: [key] });
  const after = { at: performance.now(), count: await statements(`http://127.0.0.1:${metricsPort}/metrics`) };
  figures.push(atLeast('10,000 active keys against one', manyToOne, 0.9));
  const rate = (after.count - before.count) / ((after.at - before.at) / 1000);
  figures.push(atMost('accounting statements while they are active', rate, 10, 'a second'));
  figures.push(atMost('resident memory under load', await residentMegabytes(service), 200, 'MB'));

  for (const server of opened.reverse()) await server.close();
  await sandbox.close();
  await drop();
  await rm(directory, { recursive: true });
  return figures;
}
