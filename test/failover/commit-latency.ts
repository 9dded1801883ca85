import { execute } from '../../bench/stand/database.ts';
import type { Cluster } from './cluster.ts';
import type { ServicePair } from './service-pair.ts';
import { until } from './until.ts';

/** Values of `synchronous_commit`, from the fastest to the safest. */
const SETTINGS = ['off', 'local', 'on', 'remote_apply'] as const;
const ROUNDS = 5;
const REQUESTS = 20;
const PRICED = '/v1/prices/latest/token?tokenName=bitcoin';

const quantile = (sorted: readonly number[], part: number) => sorted[Math.floor(part * (sorted.length - 1))] as number;
const inMs = (times: number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5).toFixed(1), p90: quantile(sorted, 0.9).toFixed(1) };
};

/** Applies to every session, including open sessions. */
async function setCommit(url: string, value: string): Promise<void> {
  await execute(url, `ALTER SYSTEM SET synchronous_commit = ${value}`);
  await execute(url, 'SELECT pg_reload_conf()');
  const isSet = async () => (await execute<{ is: string }>(url, `SHOW synchronous_commit`))[0];
  await until(`synchronous_commit is ${value}`, async () => Object.values((await isSet()) ?? {})[0] === value, 10_000);
}

/**
 * Measures requests that wait for a commit: a registration, and the first call of a key. Measures the settings in turn.
 * Returns the latencies in ms by setting.
 */
export async function measureCommits(cluster: Cluster, { register, request }: ServicePair) {
  const url = cluster.balancedUrl('postgres');
  const measured = SETTINGS.map((setting) => ({ setting, registrations: [] as number[], firstCalls: [] as number[] }));
  const statuses = new Set<number>();

  async function timed<Result extends { status: number }>(times: number[], work: () => Promise<Result>) {
    const start = performance.now();
    const result = await work();
    times.push(performance.now() - start);
    statuses.add(result.status);
    return result;
  }

  for (let round = 0; round < ROUNDS; round++) {
    for (const { setting, registrations, firstCalls } of measured) {
      await setCommit(url, setting);
      for (let n = 0; n < REQUESTS; n++) {
        const { body } = await timed(registrations, () => register(0));
        await timed(firstCalls, () => request(0, 'GET', PRICED, body.apiKey));
      }
    }
  }
  await execute(url, 'ALTER SYSTEM RESET synchronous_commit');
  await execute(url, 'SELECT pg_reload_conf()');
  return {
    statuses,
    latencies: measured.map(({ setting, registrations, firstCalls }) => {
      const [registration, firstCall] = [inMs(registrations), inMs(firstCalls)];
      const line = `registration p50 ${registration.p50}, p90 ${registration.p90}`;
      return `  ${setting}: ${line}; first call of a key p50 ${firstCall.p50}, p90 ${firstCall.p90}`;
    }),
  };
}
