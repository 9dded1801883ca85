import { type Item, parseList } from 'structured-headers';
import { createTestClock } from '../../../fixtures/clock.ts';
import { type Document, published } from '../../../fixtures/published.ts';
import { startGate } from '../upstream/chaos-gate.ts';
import { startService } from './service.ts';

export const BY_NAME = ['bitcoin', 'arweave', 'ethereum', 'solana', 'usd-coin'] as const;
export const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
export const DAY_CHART = '/v1/prices/history/days?tokenName=bitcoin&days=1';
export const DAYS = '/v1/prices/history/days?tokenName=bitcoin&days=30';

type CacheStatus = {
  cache: string;
  hit?: boolean;
  fwd?: string;
  stored?: boolean;
  ttl?: number;
  detail?: string;
};

/** `Cache-Status` (RFC 9211), parsed as a structured field. */
export function cacheStatusOf(header: string | null | undefined): CacheStatus {
  const [only, ...others] = parseList(header ?? '') as Item[];
  if (!only || others.length > 0) throw new Error(`Cache-Status: ${header}`);
  const [name, parameters] = only;
  return {
    cache: String(name),
    ...Object.fromEntries([...parameters].map(([key, value]) => [key, plain(value)])),
  };
}

const plain = (value: unknown) => (typeof value === 'object' ? String(value) : value);

type Options = { settings?: Record<string, string>; start?: string };

/** The service with a gate between it and CoinGecko, on a clock that the test controls. */
export async function startWithFaultyUpstream({ settings = {}, start = '2026-05-15T14:10:06Z' }: Options = {}) {
  const clock = createTestClock(start);
  const gate = await startGate();
  const service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: {
      COINGECKO_URL: `${gate.url}/api/v3`,
      COINGECKO_PLAN: 'demo',
      COINGECKO_CALLS_PER_MINUTE: '100000',
      // No fallback source, because the handling of one upstream is tested.
      MARKET_SOURCES: 'coingecko',
      UPSTREAM_TIMEOUT_MS: '3000',
      BURST_PER_SECOND: '0',
      LOG_LEVEL: 'silent',
      ...settings,
    },
  });
  gate.to(service.sandbox.coingeckoUrl);
  const contract = published((await (await service.get('/openapi.json')).json()) as Document);
  const key = await service.createUser({ validUntil: clock.now() + 10 * 365 * 86_400_000 });

  return {
    ...service,
    clock,
    gate,
    key,
    /** Advances the clock, and polls so that the service keeps accepting its keys. */
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      await service.parts.allowance.poll();
    },

    /** Sends a request with the key, and expects that the response conforms to the published description. */
    async ask(path: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${service.url}${path}`, { headers: { 'x-api-key': key, ...headers } });
      const body = await response.text();
      const faults = contract.faults({
        method: 'GET',
        path: path.replace(/\?.*/, ''),
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body,
      });
      if (faults.length > 0) throw new Error(`${path} → ${response.status}: ${faults.join('; ')}\n${body}`);
      const header = (name: string) => response.headers.get(name) ?? undefined;
      const isProblem = response.status >= 400;
      return {
        status: response.status,
        body,
        header,
        code: isProblem ? (JSON.parse(body) as { code: string }).code : undefined,
        cache: isProblem ? undefined : cacheStatusOf(header('cache-status')),
      };
    },
    async close(): Promise<void> {
      await service.close();
      await gate.close();
    },
  };
}

export type FaultyUpstreamService = Awaited<ReturnType<typeof startWithFaultyUpstream>>;
