import type { Clock } from '#core/clock';
import { openLog } from '#open';
import type { CoinGeckoPlanName } from '#prices/sources/coingecko-plans';
import { type Sandbox, startSandbox } from '#sandbox/server';
import type { DataResponse } from '#server/responses/response-body';
import { readSettings } from '#settings';
import type { TestClock } from '../../../fixtures/clock.ts';
import { openParts } from '../../../fixtures/parts.ts';
import { statisticsSettings } from '../../../fixtures/statistics-settings.ts';
import { openTestDatabase, type TestDatabase } from '../database/database.ts';

type Env = Readonly<Record<string, string>>;

/** One process of the service without HTTP, on a database that others may share. */
export async function openProcess(database: TestDatabase, clock: Clock, env: Env, logger = openLog('silent')) {
  const settings = readSettings({ COINGECKO_CALLS_PER_MINUTE: '100000', ...env });
  const parts = await openParts(settings, { logger, clock, database });
  const { market, candles, rates, poll, enforceRetention, close } = parts;
  return { market, candles, rates, poll, enforceRetention, close };
}

/** The market services on a new database, with the sandbox as CoinGecko, on one clock. */
export async function openTestMarket(
  clock: TestClock,
  { env = {}, plan = 'public' }: { env?: Env; plan?: CoinGeckoPlanName } = {},
) {
  const sandbox: Sandbox = await startSandbox({ clock, plan });
  const database = await openTestDatabase();
  const settings = {
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    COINBASE_URL: sandbox.coinbaseUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    COINGECKO_PLAN: plan,
    ...statisticsSettings(sandbox),
    ...env,
  };
  const first = await openProcess(database, clock, settings);
  const processes = [first];
  async function openAnother() {
    const process = await openProcess(database, clock, settings);
    processes.push(process);
    return process;
  }
  return {
    market: first.market,
    candles: first.candles,
    rates: first.rates,
    sandbox,
    database,
    /** Opens another process on the same database. */
    another: async () => (await openAnother()).market,
    anotherCandles: async () => (await openAnother()).candles,
    openAnother,
    /** Reloads data stored by other processes. */
    poll: first.poll,
    enforceRetention: first.enforceRetention,
    async close(): Promise<void> {
      for (const process of processes) await process.close();
      await database.close();
      await sandbox.close();
    },
  };
}

export type TestMarket = Awaited<ReturnType<typeof openTestMarket>>;

type Points = { date: string; price: number }[];
export type Received = { prices: Points; market_cap: Points; total_volume: Points };

/** The series in a response, which may be in a list. */
export function received({ body }: DataResponse): Received {
  const parsed = JSON.parse(String(body.identity.payload));
  return Array.isArray(parsed) ? parsed[0] : parsed;
}

/** The times of a series' prices, in Unix ms. */
export const timesOf = (response: DataResponse) => received(response).prices.map(({ date }) => Date.parse(date));
