import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QuotientClient, type QuotientClientOptions } from '#client/index';
import { type FakeResponse, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';
import { failure } from '../failure.ts';

const PRICE: FakeResponse = { body: JSON.stringify({ current_price: 1, ath_date: null, atl_date: null }) };

const problem = (status: number, code: string, headers: Record<string, string> = {}): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
  body: JSON.stringify({
    type: `/docs/problems#${code}`,
    title: code,
    status,
    detail: 'a detail',
    code,
    requestId: 'r1',
  }),
});

let server: UpstreamServer;
beforeEach(async () => {
  server = await startUpstreamServer(() => PRICE);
});
afterEach(() => server.close());

/** Responds with these replies in order, then repeats the last one. */
function respond(...replies: (FakeResponse | 'break')[]): void {
  server.follow((_call, response) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply !== 'break') return reply;
    response.destroy();
    return undefined;
  });
}

const client = (options: Partial<QuotientClientOptions> = {}) =>
  new QuotientClient({ baseUrl: server.url, apiKey: 'qt_a', ...options });

describe('a GET is retried', () => {
  it.each<[string, FakeResponse | 'break']>([
    ['a closed connection', 'break'],
    ['408', problem(408, 'request_timeout')],
    ['500', problem(500, 'internal_error')],
    ['502', problem(502, 'upstream_invalid')],
    ['503', problem(503, 'overloaded', { 'retry-after': '0' })],
    ['504 without a problem', { status: 504, headers: { 'content-type': 'text/html' }, body: '<h1>504</h1>' }],
    ['429 rate_limited', problem(429, 'rate_limited', { 'retry-after': '0' })],
  ])('after %s', async (_what, reply) => {
    respond(reply, PRICE);
    expect((await client().latestPrice('bitcoin')).current_price).toBe(1);
    expect(server.calls).toHaveLength(2);
  });

  it('twice by default', async () => {
    respond(problem(502, 'upstream_invalid'));
    expect(await failure(client().latestPrice('bitcoin'))).toMatchObject({
      code: 'upstream_invalid',
      status: 502,
    });
    expect(server.calls).toHaveLength(3);
  });

  it('not before Retry-After', async () => {
    let open = Number.POSITIVE_INFINITY;
    server.follow(() => {
      if (performance.now() >= open) return PRICE;
      open = Math.min(open, performance.now() + 990);
      return problem(429, 'rate_limited', { 'retry-after': '1' });
    });
    await client().latestPrice('bitcoin');
    expect(server.calls).toHaveLength(2);
  });

  it('not if Retry-After exceeds the time limit', async () => {
    respond(problem(503, 'database_unavailable', { 'retry-after': '60' }), PRICE);
    const error = await failure(client({ timeout: 10_000 }).latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'database_unavailable', retryAfter: 60 });
    expect(server.calls).toHaveLength(1);
  });

  it('not immediately if the time limit or Retry-After exceeds the maximum delay of a timer', async () => {
    respond(problem(503, 'overloaded', { 'retry-after': '3000000' }));
    const patient = client({ timeout: Number.MAX_SAFE_INTEGER });
    expect((await failure(patient.latestPrice('bitcoin'))).retryAfter).toBe(3_000_000);
    expect(server.calls).toHaveLength(1);
  });

  it('not before a date in Retry-After, by the clock of the response', async () => {
    const date = 'Sat, 21 Nov 2020 10:00:00 GMT';
    const until = 'Sat, 21 Nov 2020 10:00:40 GMT';
    respond(problem(503, 'overloaded', { date, 'retry-after': until }));
    expect((await failure(client({ timeout: 5_000 }).latestPrice('bitcoin'))).retryAfter).toBe(40);
    expect(server.calls).toHaveLength(1);
  });

  it.each(['soon', '-1', '1.5', '2, 3'])('and ignores an invalid Retry-After: %s', async (value) => {
    respond(problem(503, 'overloaded', { 'retry-after': value }));
    const error = await failure(client({ retries: 0 }).latestPrice('bitcoin'));
    expect(error.retryAfter).toBeUndefined();
  });

  it('not before the limit in RateLimit is reset, without Retry-After', async () => {
    const limits = { ratelimit: '"plan";r=900;t=86400, "burst";r=0;t=7' };
    respond(problem(429, 'rate_limited', limits));
    expect((await failure(client({ timeout: 5_000 }).latestPrice('bitcoin'))).retryAfter).toBe(7);
    expect(server.calls).toHaveLength(1);
  });

  it('after quota_exceeded only if the allowance is reset within the time limit', async () => {
    respond(problem(429, 'quota_exceeded', { 'retry-after': '0' }), PRICE);
    expect((await client().latestPrice('bitcoin')).current_price).toBe(1);
    respond(problem(429, 'quota_exceeded'), PRICE);
    expect((await failure(client().latestPrice('bitcoin'))).code).toBe('quota_exceeded');
    respond(problem(429, 'quota_exceeded', { 'retry-after': '0' }));
    expect((await failure(client({ retries: 1 }).latestPrice('bitcoin'))).code).toBe('quota_exceeded');
    expect(server.calls).toHaveLength(2 + 1 + 2);
  });
});

describe('no request is retried', () => {
  it.each([
    [503, 'node_not_configured'],
    [503, 'mail_not_configured'],
    [404, 'no_data'],
    [401, 'api_key_invalid'],
  ])('after %i %s', async (status, code) => {
    respond(problem(status, code, { 'retry-after': '0' }), PRICE);
    expect(await failure(client().latestPrice('bitcoin'))).toMatchObject({ code, status });
    expect(server.calls).toHaveLength(1);
  });

  it.each<[string, (client: QuotientClient) => Promise<unknown>]>([
    ['createUser', (one) => one.createUser({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' })],
    ['rotate', (one) => one.rotate()],
    ['renew', (one) => one.renew()],
    ['deleteUser', (one) => one.deleteUser()],
    ['createKey', (one) => one.createKey({ label: 'shop window' })],
    ['deleteKey', (one) => one.deleteKey(7)],
    ['recover', (one) => one.recover('ada@example.org')],
    ['confirmRecovery', (one) => one.confirmRecovery('token')],
    ['verify', (one) => one.verify('token')],
    ['setNotices', (one) => one.setNotices({ email: true, webhookUrl: null, thresholds: [80] })],
  ])('that changes data: %s', async (_name, call) => {
    for (const reply of ['break', problem(503, 'overloaded', { 'retry-after': '0' })] as const) {
      respond(reply);
      const before = server.calls.length;
      expect((await failure(call(client()))).code).toBe(reply === 'break' ? 'network' : 'overloaded');
      expect(server.calls.length - before).toBe(1);
    }
  });

  it('for the readiness of the service', async () => {
    respond(problem(503, 'overloaded', { 'retry-after': '0' }));
    expect((await failure(client().health())).code).toBe('overloaded');
    expect(server.calls).toHaveLength(1);
  });
});
