import { afterEach } from 'vitest';
import type { Clock } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../database/database.ts';
import { type Script, startUpstreamServer, type UpstreamServer } from '../upstream/upstream-server.ts';
import { openProcess } from './market.ts';

/** CoinGecko's response for a chart whose three arrays are the same column. */
export const chartOf = (column: readonly (readonly [at: number, value: number])[], changes: object = {}): string =>
  JSON.stringify({ prices: column, market_caps: column, total_volumes: column, ...changes });

/** Processes on one database per test, whose sources respond as scripted. All are closed after the test. */
export function useScriptedMarkets(script: Script) {
  let upstream: UpstreamServer | undefined;
  let database: TestDatabase | undefined;
  let processes: Awaited<ReturnType<typeof openProcess>>[] = [];
  afterEach(async () => {
    for (const process of processes) await process.close();
    processes = [];
    await database?.close();
    database = undefined;
    await upstream?.close();
    upstream = undefined;
  });

  return {
    /** The number of processes that the test has opened. */
    count: () => processes.length,
    calls: () => upstream?.calls ?? [],
    prisma: () => (database as TestDatabase).prisma,

    async open(clock: Clock, env: Record<string, string> = {}) {
      upstream ??= await startUpstreamServer(script);
      database ??= await openTestDatabase();
      const urls = { COINGECKO_URL: upstream.url, KRAKEN_URL: `${upstream.url}/0/public` };
      const process = await openProcess(database, clock, { ...urls, ...env });
      processes.push(process);
      return process;
    },
  };
}
