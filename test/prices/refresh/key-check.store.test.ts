import { afterEach, describe, expect, test } from 'vitest';
import type { CoinGeckoPlanName } from '#prices/sources/coingecko-plans';
import type { Fault } from '#sandbox/faults';
import type { Sandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';

const NOW = '2026-05-15T14:42:25.300Z';
let service: Service;
afterEach(() => service.close());

type Options = { env?: Record<string, string>; fault?: Fault };

/** A service configured for one plan, with a CoinGecko that reports another plan for the key. */
async function start(configured: CoinGeckoPlanName, plan: CoinGeckoPlanName, { env, fault }: Options = {}) {
  service = await startService({
    clock: createTestClock(NOW),
    sandbox: { plan },
    settings(sandbox) {
      if (fault) sandbox.faults.always(fault, { path: '/key' });
      return {
        COINGECKO_PLAN: configured,
        COINGECKO_API_KEY: 'CG-secret',
        MARKET_SOURCES: 'coingecko',
        ...env,
      };
    },
  });
  await service.parts.market.idle();
}

const keyCalls = () => service.sandbox.calls.filter(({ path }) => path.endsWith('/key')).length;
const ready = async () =>
  (await service.get('/health/ready')).json() as Promise<{ status: string; warnings: string[] }>;
const warned = () =>
  service.logLines.map((line) => JSON.parse(line) as { level: number; msg: string }).filter(({ level }) => level >= 40);
describe('the key of a paid plan', () => {
  test.each(['basic', 'pro'] as const)('is checked once, and nothing is logged if it matches: %s', async (plan) => {
    await start(plan, plan);
    expect(keyCalls()).toBe(1);
    expect(warned()).toEqual([]);
    expect(await ready()).toEqual({ status: 'ok', warnings: [] });
  });

  test('of a smaller plan is logged in one line, and its range applies from then on', async () => {
    await start('pro', 'basic');
    const differences = [
      'COINGECKO_PLAN is pro, but the plan of the key is basic',
      'the key has 250 calls per minute instead of 500',
      'the key has 100000 calls per month instead of 500000',
    ];
    expect(warned()).toMatchObject([
      { msg: 'API plan smaller than configured', differences, upstream: 'coingecko', plan: 'Basic' },
    ]);
    const { warnings } = await ready();
    expect(warnings.slice(0, 3)).toEqual(differences.map((text) => `coingecko: ${text}`));
    expect(service.logLines.join()).not.toContain('CG-secret');
    await service.parts.market.days('bitcoin', 30, 'json');
    const requested = service.sandbox.calls.flatMap(({ query }) => query.days ?? []);
    expect(requested).toEqual(['730']);
  });

  test('has its smaller budget respected', async () => {
    await start('basic', 'basic', {
      fault: {
        kind: 'status',
        status: 200,
        body: {
          plan: 'Basic',
          rate_limit_request_per_minute: 3,
          monthly_call_credit: 100_000,
          current_total_monthly_calls: 5,
        },
      },
    });
    const { market } = service.parts;
    await market.days('bitcoin', 30, 'json');
    await market.days('ethereum', 30, 'json');
    const third = async () => market.days('solana', 30, 'json');
    await expect(third()).rejects.toMatchObject({ status: 503 });
    await market.idle();
    expect(service.sandbox.countCalls()).toBe(3);
  });

  test('can have a budget below that of its plan', async () => {
    await start('pro', 'pro', { env: { COINGECKO_CALLS_PER_MINUTE: '5', COINGECKO_CALLS_PER_MONTH: '900' } });
    expect(warned()).toEqual([]);
  });

  test.each<[string, Fault]>([
    ['refuses', { kind: 'status', status: 401 }],
    ['hangs', { kind: 'hangBeforeHeaders' }],
    ['returns an HTML page', { kind: 'html' }],
    ['returns another format', { kind: 'status', status: 200, body: [] }],
  ])('is assumed to be as configured if CoinGecko %s', async (_name, fault) => {
    const isHanging = fault.kind === 'hangBeforeHeaders';
    await start('pro', 'pro', { fault, ...(isHanging && { env: { UPSTREAM_TIMEOUT_MS: '300' } }) });
    expect(keyCalls()).toBeGreaterThan(0);
    expect(warned().map(({ msg }) => msg)).toEqual(['API plan check failed']);
    expect(await ready()).toMatchObject({ status: 'ok', warnings: [] });
  });

  test('is checked without delaying requests', async () => {
    let held: ReturnType<Sandbox['faults']['hold']> | undefined;
    service = await startService({
      clock: createTestClock(NOW),
      sandbox: { plan: 'pro' },
      settings(sandbox) {
        held = sandbox.faults.hold({ path: '/key' });
        return { COINGECKO_PLAN: 'pro', COINGECKO_API_KEY: 'CG-secret', UPSTREAM_TIMEOUT_MS: '20000' };
      },
    });
    expect(await ready()).toEqual({ status: 'ok', warnings: [] });
    const key = await service.register();
    const latest = await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
    expect(latest.status).toBe(200);
    held?.release();
    await service.parts.market.idle();
    expect(warned()).toEqual([]);
  });
});

test.each(['public', 'demo'] as const)('is not checked without a paid plan: %s', async (plan) => {
  await start(plan, plan);
  expect(keyCalls()).toBe(0);
  expect(warned()).toEqual([]);
});

test('without a key, nothing is checked', async () => {
  await start('pro', 'pro', { env: { COINGECKO_API_KEY: '' } });
  expect(keyCalls()).toBe(0);
});
