import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { type Document, published } from '../../fixtures/published.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let contract: ReturnType<typeof published>;
let keys: Record<'good' | 'expired' | 'revoked' | 'replaced' | 'spent', string>;

type Call = {
  method?: string;
  key?: keyof typeof keys;
  headers?: Record<string, string>;
  body?: string;
  on?: Service;
};

/** Sends a call, expects that the response conforms to the description, and returns it. */
async function call(target: string, { method = 'GET', key, headers, body, on = service }: Call = {}) {
  const sent = { ...(key && { 'x-api-key': keys[key] }), ...headers };
  const response = await fetch(`${on.url}${target}`, { method, headers: sent, ...(body && { body }) });
  const text = await response.text();
  const faults = contract.faults({
    method,
    path: target.replace(/[?#].*/, ''),
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text,
  });
  expect(faults, `${method} ${target} → ${response.status} ${text.slice(0, 300)}`).toEqual([]);
  const { code } = response.headers.get('content-type')?.includes('problem')
    ? (JSON.parse(text || '{}') as { code?: string })
    : {};
  return { status: response.status, code, text, headers: response.headers };
}

beforeAll(async () => {
  service = await startService({ settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' } });
  contract = published((await (await service.get('/openapi.json')).json()) as Document);
  const long = Date.now() - MINUTE;
  keys = {
    good: await service.register(),
    expired: await service.createUser({ validUntil: long }),
    revoked: await service.createUser({ revokedAt: new Date(long) }),
    replaced: await service.createUser({ expiresAt: new Date(long) }),
    spent: await service.createUser({ limit: 0 }),
  };
});

afterAll(() => service?.close());

const isoDate = (at: number) => new Date(at).toISOString().slice(0, 10);
const dayMonthYear = (at: number) => isoDate(at).split('-').reverse().join('-');
const now = Date.now();
const [yesterday, lastMonth, longAgo] = [now - DAY, now - 30 * DAY, now - 3 * 365 * DAY];

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
const DATE = `/v1/prices/history/date?tokenName=ethereum&date=${dayMonthYear(lastMonth)}`;
const DAYS = '/v1/prices/history/days?tokenName=solana&days=30';
const RANGE = `/v1/prices/history/date/range?tokenName=arweave&fromDate=${isoDate(lastMonth)}&thruDate=${isoDate(yesterday)}`;
const STATS = '/v1/prices/latest/stats?token=sol';
const PRICED = [LATEST, STATS, DATE, DAYS, RANGE];

describe('every response conforms to the description', () => {
  it.each([
    ...PRICED,
    '/v1/prices/latest/token?tokenName=BITCOIN&currency=USD&vs_currency=usd',
    ...[LATEST, DATE, DAYS, RANGE].flatMap((path) => [`${path}&currency=eur`, `${path}&vs_currency=BTC`]),
    ...['arweave', 'ethereum', 'solana', 'usd-coin'].map((name) => `/v1/prices/latest/token?tokenName=${name}`),
    ...['BTC', 'ar', 'Eth'].map((token) => `/v1/prices/latest/stats?token=${token}&currency=USD`),
    `/v1/prices/history/date?tokenName=bitcoin&date=${dayMonthYear(now)}`,
    `/v1/prices/history/date?tokenName=bitcoin&date=${isoDate(lastMonth)}`,
    ...[1, 2, 10, 11, 365, 36_500].map((days) => `/v1/prices/history/days?tokenName=bitcoin&days=${days}`),
    `${RANGE}&interval=hourly`,
    `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${isoDate(yesterday)}&thruDate=${isoDate(now + DAY)}&interval=minute`,
    `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${isoDate(longAgo)}&thruDate=${isoDate(now)}`,
  ])('200 to GET %s', async (target) => {
    const { status, text } = await call(target, { key: 'good' });
    expect(status, text).toBe(200);
    const head = await call(target, { key: 'good', method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  it('lists the gaps of a window beyond the plan’s range', async () => {
    const { headers } = await call('/v1/prices/history/days?tokenName=bitcoin&days=36500', { key: 'good' });
    expect(headers.get('quotient-gaps')).toMatch(/^2013-04-28\/\d{4}-\d\d-\d\d$/);
  });

  it.each([DATE, DAYS, RANGE])('CSV from %s', async (target) => {
    const { status, text } = await call(target, { key: 'good', headers: { accept: 'text/csv' } });
    expect(status).toBe(200);
    expect(text).toMatch(/^date,price,market_cap,total_volume\r\n\d{4}-/);
    const byName = await call(`${target}&format=csv`, {
      ...{ key: 'good', headers: { accept: 'application/json' } },
    });
    expect(byName).toMatchObject({ status: 200, text });
    expect(byName.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
  });

  it('responds alike to a date in both formats', async () => {
    const { text } = await call(DATE, { key: 'good' });
    const other = await call(DATE.replace(dayMonthYear(lastMonth), isoDate(lastMonth)), { key: 'good' });
    expect(other).toMatchObject({ status: 200, text });
  });

  it('responds with 200 and ignores unknown parameters', async () => {
    const others = 'network=mainnet&_=1&utm_source=x&precision=2&limit=1';
    expect((await call(`${RANGE}&${others}`, { key: 'good' })).status).toBe(200);
  });

  it.each([...PRICED, '/v1/user/usage', '/v1/tokens', '/health/live'])(
    'responds with 406 if the client accepts no media type of %s',
    async (target) => {
      const refused = await call(target, { key: 'good', headers: { accept: 'image/png' } });
      expect(refused).toMatchObject({ status: 406, code: 'not_acceptable' });
    },
  );

  it.each([...PRICED, '/v1/user/usage', '/v1/tokens', '/health/live'])(
    'returns JSON from %s to a client that accepts only the type of problems',
    async (target) => {
      for (const accept of ['application/problem+json', 'Application/Problem+JSON;charset=utf-8, image/png', '*']) {
        const { status, headers } = await call(target, { key: 'good', headers: { accept } });
        expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
      }
      const excluded = { accept: 'application/problem+json, application/json;q=0' };
      expect((await call(target, { key: 'good', headers: excluded })).status).toBe(406);
    },
  );

  it('returns CSV to a client that accepts CSV and problems', async () => {
    for (const accept of ['text/csv, application/problem+json', 'application/problem+json, text/csv;q=0.5']) {
      const { headers } = await call(DAYS, { key: 'good', headers: { accept } });
      expect(headers.get('content-type')).toMatch(/^text\/csv/);
    }
  });

  it('never responds with 406 if a successful response has no body', async () => {
    for (const accept of ['application/problem+json', 'image/png', 'text/csv', '*/*;q=0']) {
      const headers = { 'x-api-key': await service.register(), accept };
      const made = await call('/v1/user/keys?label=x', { method: 'POST', headers: { ...headers, accept: '*/*' } });
      const { id } = JSON.parse(made.text) as { id: number };
      for (const path of [`/v1/user/keys/${id}`, '/v1/user?format=csv']) {
        const { status } = await fetch(`${service.url}${path}`, { method: 'DELETE', headers });
        expect([accept, path, status]).toEqual([accept, path, 204]);
      }
    }
  });

  it.each([LATEST, STATS, '/v1/user/usage'])('responds with 406 to a request for CSV from %s', async (target) => {
    for (const accept of ['text/csv', 'application/xml', 'text/csv, application/json;q=0'])
      expect((await call(target, { key: 'good', headers: { accept } })).status, accept).toBe(406);
    const byName = `${target}${target.includes('?') ? '&' : '?'}format=csv`;
    expect((await call(byName, { key: 'good' })).status).toBe(406);
    const either = await call(target, { key: 'good', headers: { accept: 'text/csv, */*;q=0.1' } });
    expect(either.status).toBe(200);
  });

  it.each(PRICED)('responds with 304 to a repeated request for %s', async (target) => {
    const { headers } = await call(target, { key: 'good' });
    const again = await call(target, {
      key: 'good',
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it.each([
    ['GET', '/v1/tokens', 200],
    ['GET', '/health/live', 200],
    ['GET', '/health/ready', 200],
    ['POST', '/v1/user/create?name=Ada&email=ada@example.org&plan=yearly', 201],
    ['POST', '/v1/user/create?name=Ada&email=ada@example.org&plan=weekly', 400],
    ['GET', '/v1/user/data', 401],
  ])('%s %s without a key', async (method, target, status) => {
    expect((await call(target, { method })).status).toBe(status);
  });

  it('the user of a key', async () => {
    expect((await call('/v1/user/data', { key: 'good' })).status).toBe(200);
    expect((await call(`/v1/user/data?api=${keys.expired}`)).status).toBe(200);
    expect((await call('/v1/user/data?api=nonsense')).code).toBe('api_key_invalid');
    expect((await call('/v1/user/data', { key: 'revoked' })).code).toBe('api_key_revoked');
  });

  it('the life cycle of a key', async () => {
    const lapsed = await service.createUser({ validUntil: Date.now() - MINUTE });
    const first = { headers: { 'x-api-key': await service.register() } };
    expect((await call('/v1/user/usage', first)).status).toBe(200);
    expect((await call('/v1/user/renew', { method: 'POST', ...first })).status).toBe(200);
    expect((await call('/v1/user/renew', { method: 'POST', ...first })).code).toBe('renew_too_early');
    expect((await call('/v1/user/rotate?graceSeconds=-1', { method: 'POST', ...first })).status).toBe(400);
    const rotated = await call('/v1/user/rotate?graceSeconds=60', { method: 'POST', ...first });
    expect(rotated.status).toBe(200);
    const second = { headers: { 'x-api-key': (JSON.parse(rotated.text) as { apiKey: string }).apiKey } };
    await call('/v1/user/rotate', { method: 'POST', ...first });
    expect((await call('/v1/user', { method: 'DELETE', ...second })).status).toBe(204);
    expect((await call('/v1/user/usage', second)).status).toBe(401);
    expect((await call('/v1/user/renew', { method: 'POST', headers: { 'x-api-key': lapsed } })).status).toBe(200);
    for (const path of ['/v1/user/usage', '/v1/user/rotate', '/v1/user/renew', '/v1/user']) {
      const method = { usage: 'GET', user: 'DELETE' }[path.split('/').at(-1) ?? ''] ?? 'POST';
      expect((await call(path, { method })).code).toBe('api_key_missing');
    }
  });

  it('a rejected registration', async () => {
    const target = '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly';
    const fromElsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://example.org' };
    expect((await call(target, { method: 'POST', headers: fromElsewhere })).code).toBe('cross_site');
    const closed = await startService({ settings: { REGISTRATION: 'closed' } });
    const busy = await startService({ settings: { REGISTRATIONS_PER_MINUTE: '1', BURST_PER_SECOND: '1' } });
    try {
      expect((await call(target, { method: 'POST', on: closed })).code).toBe('registration_closed');
      const headers = { 'x-api-key': await busy.register() };
      expect((await call(target, { method: 'POST', on: busy })).code).toBe('rate_limited');
      const codes = [];
      for (let i = 0; i < 20; i++) codes.push((await call(LATEST, { on: busy, headers })).code);
      expect(codes).toContain('rate_limited');
    } finally {
      await closed.close();
      await busy.close();
    }
  });

  it.each(PRICED)('every rejection of %s', async (target) => {
    expect((await call(target)).code).toBe('api_key_missing');
    expect((await call(target, { headers: { 'x-api-key': 'nonsense' } })).code).toBe('api_key_invalid');
    expect((await call(target, { key: 'expired' })).code).toBe('api_key_expired');
    expect((await call(target, { key: 'revoked' })).code).toBe('api_key_revoked');
    expect((await call(target, { key: 'replaced' })).code).toBe('api_key_revoked');
    expect((await call(target, { key: 'spent' })).code).toBe('quota_exceeded');
    expect((await call(target.replace(/token(Name)?=/, 'x='), { key: 'good' })).code).toBe('invalid_request');
    expect((await call(`${target}&mnemonic=a`, { key: 'good' })).code).toBe('secret_in_request');
    expect((await call(target, { key: 'good', method: 'POST', body: '{}' })).code).toBe('method_not_allowed');
    expect((await call(`${target}&x=${'x'.repeat(9_000)}`, { key: 'good' })).code).toBe('uri_too_long');
    const headers = { 'x-long': 'x'.repeat(20_000) };
    expect((await call(target, { key: 'good', headers })).code).toBe('headers_too_large');
  });

  it('a window without data', async () => {
    const early = '/v1/prices/history/date?tokenName=solana&date=01-01-2015';
    expect((await call(early, { key: 'good' })).code).toBe('no_data');
    const beyond = `/v1/prices/history/date?tokenName=bitcoin&date=${dayMonthYear(longAgo)}`;
    expect((await call(beyond, { key: 'good' })).code).toBe('upstream_unavailable');
    const minutes = `${RANGE.replace(/thruDate=.*/, `thruDate=${isoDate(now - 9 * DAY)}`)}&interval=minute`;
    const { code, text } = await call(minutes, { key: 'good' });
    expect(code).toBe('no_data');
    expect(JSON.parse(text).gaps).toHaveLength(1);
  });

  it('unknown paths', async () => {
    for (const target of ['/', '/v1', '/v1/prices', '/docs/nothing', '/docs/static/nothing.js', '/v2/tokens']) {
      expect((await call(target)).code, target).toBe('not_found');
    }
  });
});

it('a failing upstream, without stored data', async () => {
  const bare = await startService();
  try {
    bare.sandbox.faults.always({ kind: 'status', status: 500 });
    const headers = { 'x-api-key': await bare.register() };
    for (const target of PRICED) expect((await call(target, { on: bare, headers })).code).toBe('upstream_unavailable');
  } finally {
    await bare.close();
  }
});
