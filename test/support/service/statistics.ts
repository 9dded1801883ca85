import { openLog } from '#open';
import type { Fault } from '#sandbox/faults';
import { readSettings } from '#settings';
import type { TokenStatistics } from '#statistics/statistics-records';
import type { StatisticsSymbol } from '#statistics/statistics-sources';
import { openParts, type Parts } from '../../../fixtures/parts.ts';
import { statisticsSettings } from '../../../fixtures/statistics-settings.ts';
import { startWithFaultyUpstream } from './chaos.ts';

export const STATS = '/v1/prices/latest/stats';

/** The sandbox's URL for each source. */
const PREFIXES = {
  cryptocompare: '/cryptocompare',
  'bitcoin-stats': '/bitcoin',
  'ethereum-stats': '/ethereum',
  'solana-rpc': '/solana',
  'arweave-node': '/arweave',
} as const;
export type Upstream = keyof typeof PREFIXES;

/** The source of each token that requires no key. */
export const KEYLESS = {
  btc: 'bitcoin-stats',
  ar: 'arweave-node',
  eth: 'ethereum-stats',
  sol: 'solana-rpc',
} as const satisfies Record<StatisticsSymbol, Upstream>;

/** An upstream that responds immediately with an unusable body: `not_json`. */
export const BROKEN: Fault = { kind: 'html', status: 200 };

type Logged = { level: number; msg: string; [fact: string]: unknown };

/** The service with a key for CryptoCompare, on a clock that the test controls. Its log is recorded. */
export async function startWithStatistics({
  settings = {},
  start,
}: {
  settings?: Record<string, string>;
  start?: string;
} = {}) {
  const service = await startWithFaultyUpstream({
    settings: { CRYPTOCOMPARE_API_KEY: 'a-key', LOG_LEVEL: 'info', ...settings },
    ...(start && { start }),
  });
  const { sandbox } = service;
  const processes: Parts[] = [];

  return {
    ...service,
    /** Requests a token's statistics, and expects that the response conforms to the published description. */
    async stats(token: string, headers: Record<string, string> = {}) {
      const response = await service.ask(`${STATS}?token=${token}`, headers);
      const record = response.status === 200 ? (JSON.parse(response.body) as TokenStatistics) : undefined;
      return { ...response, source: response.header('quotient-source'), record };
    },
    /** Sets the behaviour of an upstream from now on. */
    fail(upstream: Upstream, fault: Fault = BROKEN): void {
      sandbox.faults.always(fault, { path: new RegExp(`^${PREFIXES[upstream]}(/|$)`) });
    },
    /** The calls to one upstream, or to all of them. */
    calls: (upstream?: Upstream): number =>
      sandbox.calls.filter(({ path }) =>
        upstream
          ? `${path}/`.startsWith(`${PREFIXES[upstream]}/`)
          : Object.values(PREFIXES).some((prefix) => `${path}/`.startsWith(`${prefix}/`)),
      ).length,
    /** The logged switches between sources. */
    switches: () =>
      service.logLines
        .map((line) => JSON.parse(line) as Logged)
        .filter(({ msg }) => msg === 'statistics source switched')
        .map(({ level, token, from, to, reason }) => ({ level, token, from, to, reason })),
    /** Starts another process on the same database, or restarts this one. `lines` receives its log. */
    async another(env: Record<string, string> = {}, lines: string[] = []): Promise<Parts> {
      const given = {
        COINGECKO_URL: sandbox.coingeckoUrl,
        KRAKEN_URL: sandbox.krakenUrl,
        ...statisticsSettings(sandbox),
        CRYPTOCOMPARE_API_KEY: 'a-key',
        ...settings,
        ...env,
      };
      const { clock, database } = service;
      const logger = openLog('info', { write: (line) => void lines.push(line) });
      const parts = await openParts(readSettings(given), { logger, clock, database });
      processes.push(parts);
      return parts;
    },
    async close(): Promise<void> {
      for (const parts of processes) await parts.close();
      await service.close();
    },
  };
}

export type WithStatistics = Awaited<ReturnType<typeof startWithStatistics>>;
