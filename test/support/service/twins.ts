import type { Clock } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import type { Sandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { METRICS_ON, openScrape } from './metrics.ts';
import { type Service, startService } from './service.ts';

const YEARS = 10 * 365 * 86_400_000;

const settings = ({ cosmosNodeUrl }: Sandbox): Record<string, string> => ({
  ...METRICS_ON,
  COINGECKO_PLAN: 'demo',
  COINGECKO_CALLS_PER_MINUTE: '100000',
  COINGECKO_CALLS_PER_MONTH: '10000000',
  COINGECKO_REFRESH: 'latest=1m,chart=10m',
  CRYPTOCOMPARE_API_KEY: 'a-key',
  NODE_URLS: cosmosNodeUrl,
  BURST_PER_SECOND: '0',
  LOG_LEVEL: 'silent',
});

type TwinResponse = { status: number; body: unknown };

async function startOne(clock: Clock) {
  const service = await startService({ clock, sandbox: { plan: 'demo' }, settings });
  const key = await service.createUser({ validUntil: clock.now() + YEARS });
  return { ...service, key };
}

async function pausedBy(service: Service): Promise<string[]> {
  const scrape = await openScrape(service);
  const series = await scrape.series();
  await scrape.close();
  const isPaused = ([name, value]: [string, number]) => name.startsWith('quotient_upstream_breaker_state') && value > 0;
  return [...series].filter(isPaused).map(([name]) => name);
}

/** Sends a request, and again after all fetches that it caused have ended. */
async function read(service: Service & { key: string }, path: string): Promise<TwinResponse> {
  const send = async () => {
    const response = await service.get(path, service);
    return { status: response.status, body: (await response.json()) as unknown };
  };
  await send();
  await Promise.all([service.parts.market.idle(), service.parts.rates.idle(), service.parts.statistics.idle()]);
  return send();
}

/**
 * Two services on one clock, each with its own sandbox. The sandboxes return the same data, and only the first one has
 * faults. So each difference between the two services' responses is due to a fault.
 */
export async function startTwins(start: string, { tokens: count }: { tokens: number }) {
  const clock = createTestClock(start);
  const [faulty, healthy] = await Promise.all([startOne(clock), startOne(clock)]);
  const both = [faulty, healthy] as const;
  let tokens: string[] = [];
  for (const { database, parts } of both) {
    tokens = await addSandboxTokens(database.prisma, count);
    await parts.catalogue.sync();
  }

  return {
    clock,
    faulty,
    healthy,
    tokens: tokens as readonly string[],
    /** Advances the clock, and polls so that the services keep accepting their keys. */
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      for (const { parts } of both) await parts.allowance.poll();
    },
    read: (path: string) =>
      Promise.all(both.map((service) => read(service, path))) as Promise<[TwinResponse, TwinResponse]>,
    /** Injects a fault into the first service's sandbox only. */
    inject: (fault: Fault, path: RegExp) => faulty.sandbox.faults.always(fault, { path }),
    /** The upstreams that only the first service has paused. */
    async paused(): Promise<string[]> {
      const [mine, others] = (await Promise.all(both.map(pausedBy))) as [string[], string[]];
      return mine.filter((name) => !others.includes(name));
    },
    async close(): Promise<void> {
      for (const service of both) await service.close();
    },
  };
}

export type Twins = Awaited<ReturnType<typeof startTwins>>;
