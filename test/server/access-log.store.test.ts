import { afterEach, describe, expect, test } from 'vitest';
import { SECOND } from '#core/clock';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
const LATEST = '/v1/prices/latest/token?tokenName=';
const TOKENS = ['bitcoin', 'ethereum'];
/** A port without a listener. */
const NOWHERE = ['http://127.0.0.1:9', 'http://127.0.0.1:10'];

type Line = { level: number; msg: string; count: number; work?: Record<string, number> } & Record<string, unknown>;

let clock: TestClock;
let service: Service;
let key: string;
afterEach(() => service.close());

async function start(settings: Record<string, string> = {}): Promise<void> {
  clock = createTestClock('2026-05-15T14:10:06Z');
  service = await startService({
    clock,
    settings: {
      COINGECKO_CALLS_PER_MINUTE: '100000',
      MARKET_SOURCES: 'coingecko',
      BURST_PER_SECOND: '0',
      ...settings,
    },
  });
  key = await service.createUser();
  service.logLines.length = 0;
}

/** The lines of requests and failures, after all due lines have been written. */
async function lines(): Promise<Line[]> {
  await new Promise(setImmediate);
  service.parts.failures.review();
  return service.logLines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => /^(request|upstream|database) /.test(msg));
}

/** Requests each path in turn, `times` times. Returns the distinct statuses. */
async function request(paths: readonly string[], times = 1): Promise<number[]> {
  const calls = Array.from({ length: times }, () => paths).flat();
  return [...new Set(await Promise.all(calls.map(async (path) => (await service.get(path, { key })).status)))];
}

const HISTORIES = TOKENS.flatMap((token) => [
  `${LATEST}${token}`,
  `/v1/prices/history/days?tokenName=${token}&days=1`,
  `/v1/prices/history/days?tokenName=${token}&days=30`,
  `/v1/prices/history/days?tokenName=${token}&days=300`,
]);

describe('an upstream that is down', () => {
  test('is logged in one line per cause and ten seconds, for all paths and any number of calls', async () => {
    await start();
    service.sandbox.faults.always({ kind: 'status', status: 500 });
    expect(await request(HISTORIES, 20)).toEqual([503]);
    const first = await lines();
    const causes = first.map(({ cause }) => cause);
    expect(causes).toEqual([...new Set(causes)]);
    expect(first.map(({ msg, upstream }) => `${msg}: ${upstream}`)).toEqual(
      first.map(() => 'upstream failed: coingecko'),
    );
    for (let second = 0; second < 10; second++) {
      clock.advance(SECOND);
      await service.parts.allowance.poll();
      expect(await request(HISTORIES)).toEqual([503]);
    }
    const all = await lines();
    expect(all.length).toBeLessThanOrEqual(2 * new Set(all.map(({ cause }) => cause)).size);
    expect(all.reduce((sum, { work }) => sum + (work?.request ?? 0), 0)).toBe(30 * HISTORIES.length);
  });

  test('and that recovers is logged in one line, with the duration of the outage', async () => {
    await start();
    service.sandbox.faults.always({ kind: 'status', status: 400 });
    await request([`${LATEST}bitcoin`]);
    service.sandbox.faults.clear();
    clock.advance(10 * SECOND);
    await service.parts.allowance.poll();
    expect(await request([`${LATEST}bitcoin`])).toEqual([200]);
    expect(await lines()).toMatchObject([
      { msg: 'upstream failed', cause: 'refused', count: 2, route: '/v1/prices/latest/token', status: 503 },
      { msg: 'upstream recovered', upstream: 'coingecko', durationMs: 10_000 },
    ]);
  });
});

test('failing nodes are logged in one line per node and cause, with their names in the metrics', async () => {
  await start({ NODE_URLS: NOWHERE.join(',') });
  expect(await request([`/v1/node/bank/balances/${ADDRESS}`, '/v1/node/blocks/latest'], 2)).toEqual([503]);
  for (let call = 0; call < 20; call++) await request(['/v1/node/blocks/latest']);
  const all = await lines();
  expect(new Set(all.map(({ upstream }) => upstream))).toEqual(new Set(['node-1', 'node-2']));
  const names = all.map(({ upstream, cause }) => `${upstream} ${cause}`);
  expect(names).toEqual([...new Set(names)]);
});

/** Makes the next calls for a latest price fail with an internal error. */
function breakLatest(): void {
  service.parts.market.latest = () => {
    throw new TypeError('x is undefined');
  };
}

describe('an internal error', () => {
  test.each(['errors', 'all', 'none'])('is logged in one line for each request with LOG_REQUESTS=%s', async (which) => {
    await start({ LOG_REQUESTS: which });
    breakLatest();
    const responses = [1, 2, 3].map(() => service.get(`${LATEST}bitcoin`, { key }));
    const ids = (await Promise.all(responses)).map(({ headers }) => headers.get('x-request-id'));
    const all = await lines();
    expect(all.map(({ reqId }) => reqId).sort()).toEqual(ids.sort());
    for (const line of all) {
      expect(line).toMatchObject({
        ...{ level: 50, msg: 'request failed', code: 'internal_error', status: 500 },
        ...{ route: '/v1/prices/latest/token', err: { type: 'TypeError', message: 'x is undefined' } },
      });
    }
  });
});

test('LOG_REQUESTS=all logs one line for each request, and one more for each failure', async () => {
  await start({ LOG_REQUESTS: 'all' });
  service.sandbox.faults.always({ kind: 'status', status: 400 });
  await request([`${LATEST}bitcoin`, '/v1/tokens'], 10);
  const all = await lines();
  expect(all.filter(({ msg }) => msg === 'request completed').map(({ status }) => status)).toEqual(
    expect.arrayContaining([...Array(10).fill(200), ...Array(10).fill(503)]),
  );
  const rest = all.filter(({ msg }) => msg !== 'request completed');
  // The line counts the requests that had failed when it was written.
  expect(rest).toMatchObject([{ msg: 'upstream failed', work: { request: expect.any(Number) } }]);
  expect(rest[0]).not.toHaveProperty('reqId');
  expect(all).toHaveLength(21);
});

test('requests rejected for other reasons are logged, each reason once', async () => {
  await start();
  for (let call = 0; call < 20; call++) {
    expect(await request(['/v1/node/blocks/latest'])).toEqual([503]);
    const recovering = await fetch(`${service.url}/v1/user/recover?email=ada@example.org`, {
      method: 'POST',
    });
    expect(recovering.status).toBe(503);
  }
  const all = await lines();
  expect(all.map(({ msg, cause }) => `${msg}: ${cause}`)).toEqual([
    'request failed: node_not_configured',
    'request failed: mail_not_configured',
  ]);
  expect(all[0]).toMatchObject({ count: 1, route: '/v1/node/blocks/latest', status: 503 });
});
