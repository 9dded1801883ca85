import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../../fixtures/install.ts';
import { booked } from '../ledger/ordinary/hundred-thousand.ts';
import { compare } from '../measuring/comparison.ts';
import { atLeast, type Figure, seen } from '../measuring/table.ts';
import { execute, makeDatabase } from '../stand/database.ts';
import type { Environment } from '../stand/environment.ts';
import { type Server, startServer } from '../stand/service-process.ts';
import { LATEST, openStand, UNLIMITED } from '../stand/stand.ts';
import { missingForGateway, startGateway } from './peers/gateway.ts';
import { killUnderLoad } from './peers/kill.ts';
import { hasRedis, startRedis } from './peers/redis.ts';

/** Enough keys that statements of the same key seldom wait for each other. */
const KEYS = 2000;

type Stand = Awaited<ReturnType<typeof openStand>>;
type Peer = { server: Server; counted: () => Promise<number>; close: () => Promise<void> };

async function startWithRedis(settings: Record<string, string>): Promise<Peer> {
  installPackages('bench/calls/peers');
  const redis = await startRedis();
  const server = await startServer('calls/peers/redis-server.js', { ...settings, REDIS_URL: redis.url });
  return { server, counted: redis.counted, close: redis.close };
}

async function startWithStatements(settings: Record<string, string>, databaseServer: string): Promise<Peer> {
  const database = await makeDatabase(databaseServer);
  const server = await startServer('calls/peers/statement-server.js', { ...settings, DATABASE_URL: database.url });
  const counted = async () => {
    const [row] = await execute<{ calls: number }>(database.url, 'SELECT sum(used)::int AS calls FROM account');
    return row?.calls ?? Number.NaN;
  };
  return { server, counted, close: database.drop };
}

async function compareWithGateway({ baselinesOf, keys }: Stand, latest: string): Promise<Figure[]> {
  const missing = missingForGateway();
  if (missing) {
    console.error(`The gateway is skipped: ${missing}.`);
    return [];
  }
  const [key = ''] = keys;
  const origin = await (await baselinesOf(latest)).withHeaders();
  const gateway = await startGateway({ upstream: origin.url, keys: [key], limit: UNLIMITED });
  const [ratio = 0] = await compare({ url: latest, keys: [key] }, { url: `${gateway.url}/`, keys: [key] });
  await gateway.close();
  return [atLeast('latest/token against one worker of nginx with Lua', ratio, 1)];
}

const lossInWords = ({ responses, difference }: Awaited<ReturnType<typeof killUnderLoad>>): string =>
  difference < 0
    ? `${-difference} of ${responses} calls are not counted`
    : `${difference} calls without a response are counted, beside ${responses} with one`;

/**
 * Compares the service with a gateway (one nginx worker with Lua, in front of a server with the same response), and with
 * two servers as a team would build them: Fastify with Redis, and Fastify with a statement per call. Then kills the
 * processes under load, and compares the counted calls with the responses.
 */
export async function measure(environment: Environment): Promise<Figure[]> {
  const { databaseServer } = environment;
  const stand = await openStand(environment, KEYS);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const figures = await compareWithGateway(stand, latest);

  const directory = await mkdtemp(join(tmpdir(), 'quotient-peers-'));
  const files = { KEYS_FILE: join(directory, 'keys'), BODY_FILE: join(directory, 'body') };
  await writeFile(files.KEYS_FILE, stand.keys.map((key) => `${key} ${UNLIMITED}\n`).join(''));
  const response = await fetch(latest, { headers: { 'x-api-key': stand.key } });
  await writeFile(files.BODY_FILE, await response.text());

  async function add(name: string, bar: number, { server, counted, close }: Peer): Promise<void> {
    const target = { url: `${server.url}/`, keys: stand.keys };
    const [ratio = 0] = await compare({ url: latest, keys: stand.keys }, target);
    const lost = await killUnderLoad({ server, path: '/', keys: stand.keys, counted });
    await close();
    figures.push(atLeast(`latest/token against ${name}`, ratio, bar));
    figures.push(seen(`… when a process of ${name} is killed`, lossInWords(lost)));
  }
  if (hasRedis) await add('Fastify with Redis', 3, await startWithRedis(files));
  else console.error('Fastify with Redis is skipped: Redis is not installed (redis-server).');
  if (databaseServer !== undefined) {
    await add('Fastify with a statement per call', 5, await startWithStatements(files, databaseServer));
    const counted = () => booked(stand.databaseUrl);
    const lost = await killUnderLoad({ server: service, path: LATEST, keys: stand.keys, counted });
    figures.push(seen('… when a process of the service is killed', lossInWords(lost)));
  }
  await rm(directory, { recursive: true });
  await stand.close();
  return figures;
}
