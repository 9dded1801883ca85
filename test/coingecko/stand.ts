import type { UsageRecord } from '#users/users-records';
import { createTestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';

export const START = '2026-11-20T14:10:06Z';
export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

type Options = { settings?: Record<string, string>; start?: string; plan?: 'demo' | 'pro' };

/** The service under CoinGecko's paths, on a clock that the test controls. */
export async function openStand({ settings = {}, start = START, plan = 'pro' }: Options = {}) {
  const clock = createTestClock(start);
  const service: Service = await startService({
    clock,
    sandbox: { plan },
    settings: { COINGECKO_PLAN: plan, COINGECKO_API_KEY: 'key', BURST_PER_SECOND: '0', ...settings },
  });
  const key = await service.createUser({ validUntil: clock.now() + 10 * 365 * 86_400_000 });
  const base = `${service.url}/api/v3`;

  async function request(path: string, headers: Record<string, string> = { 'x-cg-pro-api-key': key }) {
    const response = await fetch(`${base}${path}`, { headers });
    const text = await response.text();
    return {
      status: response.status,
      text,
      header: (name: string) => response.headers.get(name),
      headers: response.headers,
    };
  }

  return {
    ...service,
    clock,
    key,
    base,
    request,
    /** Requests a path below `/api/v3`, and expects a status. Returns the parsed body. */
    async json<Body>(path: string, status = 200): Promise<Body> {
      const response = await request(path);
      if (response.status !== status) throw new Error(`${path} → ${response.status}: ${response.text}`);
      return JSON.parse(response.text) as Body;
    },
    async used(): Promise<number> {
      const response = await service.get('/v1/user/usage', { key });
      return ((await response.json()) as UsageRecord).used;
    },
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      await service.parts.allowance.poll();
    },
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
