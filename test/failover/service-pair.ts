import { hashApiKey } from '#keys/api-key';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '#process/node-flags';
import { execute } from '../../bench/stand/database.ts';
import { spawnService } from '../support/service/service-process.ts';
import { startTraffic } from './traffic.ts';

const PROCESSES = 2;
const KEYS = 20;

type Options = {
  name: string;
  /** The built service's entry, and the folder in which it runs. */
  main: string;
  cwd: string;
  settings: Readonly<Record<string, string>>;
  /** The database's URL for the service, and for the test. */
  url: string;
  testUrl: string;
};

/** Two processes of the built service on one database, and keys to call them with. */
export async function startServicePair({ name, main, cwd, url, testUrl, settings }: Options) {
  const processes: ReturnType<typeof spawnService>[] = [];
  const urls: string[] = [];
  const keys: string[] = [];

  const close = () => Promise.all(processes.map((process) => process.stop()));

  async function request(process: number, method: 'GET' | 'POST' | 'DELETE', path: string, apiKey?: string) {
    const headers: HeadersInit = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const response = await fetch(`${urls[process]}${path}`, { method, headers });
    const text = await response.text();
    const body = (text ? JSON.parse(text) : {}) as { key: number; id: number; apiKey: string; code?: string };
    return { status: response.status, body };
  }

  /** The user's record, with the key. */
  async function register(process: number) {
    const user = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'yearly' });
    return request(process, 'POST', `/v1/user/create?${user}`);
  }

  async function start(): Promise<void> {
    for (let n = 0; n < PROCESSES; n++) {
      const environment = { ...NODE_ENVIRONMENT, ...settings, DATABASE_URL: url };
      const process = spawnService(environment, [...NODE_FLAGS, main], { cwd });
      processes.push(process);
      const listening = await process.logged(/Server listening at http:/);
      urls.push(/http:\/\/[\d.]+:\d+/.exec(listening)?.[0] ?? '');
    }
    for (let n = 0; n < KEYS; n++) keys.push((await register(0)).body.apiKey);
  }
  await start().catch(async (error) => {
    await close();
    throw error;
  });

  return {
    name,
    keys: keys as readonly string[],
    request,
    register,
    /** Stops the processes. Returns their exit codes. */
    close,
    startTraffic: () => startTraffic(urls, keys),
    /** The log lines of each process. */
    logs: (): readonly (readonly string[])[] => processes.map(({ lines }) => lines),
    signal(name: NodeJS.Signals): void {
      for (const process of processes) process.signal(name);
    },

    /** Whether each process is ready. */
    areReady: () => Promise.all(urls.map(async (url) => (await fetch(`${url}/health/ready`)).ok)),

    /** The recorded calls of each key, booked or not. */
    async ledger(): Promise<Map<string, number>> {
      const rows = await execute<{ hash: string; used: number }>(
        testUrl,
        `SELECT encode(hash, 'hex') AS hash, (coalesce((SELECT sum(used) FROM usage u WHERE u.user_key = k.user_key), 0)
          - coalesce((SELECT sum(granted - spent) FROM lease l WHERE l.user_key = k.user_key), 0))::int AS used
        FROM api_key k`,
      );
      const used = new Map(rows.map((row) => [row.hash, row.used]));
      return new Map(keys.map((key) => [key, used.get(hashApiKey(key)) ?? Number.NaN]));
    },

    /** Returns the keys that are not in the database. */
    async missing(apiKeys: readonly string[]): Promise<string[]> {
      const rows = await execute<{ hash: string }>(testUrl, "SELECT encode(hash, 'hex') AS hash FROM api_key");
      const stored = new Set(rows.map(({ hash }) => hash));
      return apiKeys.filter((apiKey) => !stored.has(hashApiKey(apiKey)));
    },
  };
}

export type ServicePair = Awaited<ReturnType<typeof startServicePair>>;
