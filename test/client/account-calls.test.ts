import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QuotientClient } from '#client/index';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream/upstream-server.ts';
import { failure } from './failure.ts';

/* The requests of the account calls and the parsing of their responses, compared with the contract. */

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const AT = '2026-11-22T12:00:00.000Z';
const DATE = new Date(AT);
const USER = {
  key: 1,
  name: 'Ada',
  email: 'ada@example.org',
  apiKey: KEY,
  plan: 'monthly',
  limit: 10_000,
  createdAt: AT,
  validUntil: AT,
  updatedAt: AT,
};
const READ_USER = { ...USER, createdAt: DATE, validUntil: DATE, updatedAt: DATE };
const NOTICES = { email: true, webhookUrl: 'https://example.org/hook', thresholds: [80, 100] };

let server: UpstreamServer;
let owner: QuotientClient;
beforeEach(async () => {
  server = await startUpstreamServer(() => ({ body: '{}' }));
  owner = new QuotientClient({ baseUrl: server.url, apiKey: KEY });
});
afterEach(() => server.close());

/** Returns the result of a call that receives this response, and the request that it sent. */
async function send<T>(status: number, body: unknown, call: (client: QuotientClient) => Promise<T>) {
  server.follow(() => ({ status, body: body === undefined ? '' : JSON.stringify(body) }));
  const result = await call(owner);
  const { method, path, query, headers, body: sent } = server.calls.at(-1) ?? expect.fail('no request was sent');
  return {
    result,
    request: { method, path, query, key: headers['x-api-key'], body: sent && JSON.parse(sent) },
  };
}

describe('keys', () => {
  it('are created with a label, scopes and an expiry', async () => {
    const terms = { dailyLimit: 9, allowedOrigins: ['https://a.example', 'http://b.example:81'] };
    const made = { id: 7, label: 'shop & window', scopes: ['prices', 'node'], apiKey: KEY, start: 'qt_EXAM' };
    const { result, request } = await send(201, { ...made, createdAt: AT, expiresAt: AT }, (client) =>
      client.createKey({ label: 'shop & window', scopes: ['prices', 'node'], expiresAt: DATE, ...terms }),
    );
    expect(result).toEqual({ ...made, createdAt: DATE, expiresAt: DATE });
    expect(request).toEqual({
      method: 'POST',
      path: '/v1/user/keys',
      key: KEY,
      body: '',
      query: {
        label: 'shop & window',
        scopes: 'prices,node',
        expiresAt: AT,
        dailyLimit: '9',
        allowedOrigins: 'https://a.example,http://b.example:81',
      },
    });
  });

  it('require only a label', async () => {
    const made = { id: 7, label: 'a', scopes: ['prices'], apiKey: KEY, start: 'qt_EXAM', expiresAt: null };
    const { result, request } = await send(201, { ...made, createdAt: AT }, (client) =>
      client.createKey({ label: 'a' }),
    );
    expect(result.expiresAt).toBeNull();
    expect(request.query).toEqual({ label: 'a' });
  });

  it('are listed with dates', async () => {
    const entry = { id: 7, label: null, scopes: ['account', 'prices', 'node'], start: null };
    const wire = { ...entry, createdAt: AT, lastUsedAt: AT, expiresAt: null, exposedAt: null, replacedAt: null };
    const { result, request } = await send(200, [wire], (client) => client.keys());
    expect(result).toEqual([{ ...wire, createdAt: DATE, lastUsedAt: DATE }]);
    expect(request).toMatchObject({ method: 'GET', path: '/v1/user/keys', key: KEY });
  });

  it('are changed by their id, with the given members only', async () => {
    const wire = { id: 7, label: 'a', scopes: ['prices'], start: null, createdAt: AT, lastUsedAt: null, dailyLimit: 5 };
    const ends = { expiresAt: AT, exposedAt: AT, replacedAt: null };
    const { result, request } = await send(200, { ...wire, ...ends }, (client) =>
      client.updateKey(7, { scopes: ['prices'], expiresAt: DATE, dailyLimit: 5 }),
    );
    expect(result).toEqual({ ...wire, createdAt: DATE, expiresAt: DATE, exposedAt: DATE, replacedAt: null });
    const body = { scopes: ['prices'], expiresAt: AT, dailyLimit: 5 };
    expect(request).toEqual({ method: 'PATCH', path: '/v1/user/keys/7', key: KEY, query: {}, body });
    const removed = await send(200, { ...wire, ...ends }, (client) =>
      client.updateKey(7, { expiresAt: null, dailyLimit: null, allowedOrigins: null }),
    );
    expect(removed.request.body).toEqual({ expiresAt: null, dailyLimit: null, allowedOrigins: null });
  });

  it('are deleted by their id', async () => {
    const { result, request } = await send(204, undefined, (client) => client.deleteKey(7));
    expect(result).toBeUndefined();
    expect(request).toMatchObject({ method: 'DELETE', path: '/v1/user/keys/7', key: KEY });
  });

  it.each([new Date(Number.NaN), 7, {}])('reject an expiry that is not a time: %o', async (expiresAt) => {
    const call = owner.createKey({ label: 'a', expiresAt: expiresAt as Date });
    expect(await failure(call)).toMatchObject({ code: 'invalid_request', status: undefined });
    expect(server.calls).toHaveLength(0);
  });
});

describe('calls that require email', () => {
  const pending = { email: 'ada@example.org', expiresAt: AT };
  const form = { name: 'Ada', email: 'ada@example.org', plan: 'monthly' } as const;

  it('a pending registration has no key', async () => {
    const { result, request } = await send(202, pending, (client) => client.createUser(form));
    expect(result).toEqual({ ...pending, expiresAt: DATE });
    expect(result.apiKey).toBeUndefined();
    expect(request).toMatchObject({ path: '/v1/user/create', query: form, key: undefined });
  });

  it('sends the one-time code in a body, without the key', async () => {
    const verified = await send(201, USER, (client) => client.verify('token'));
    const recovered = await send(202, undefined, (client) => client.recover('ada@example.org'));
    const confirmed = await send(200, USER, (client) => client.confirmRecovery('token'));
    expect([verified.result, recovered.result, confirmed.result]).toEqual([READ_USER, undefined, READ_USER]);
    const common = { method: 'POST', query: {}, key: undefined };
    expect([verified.request, recovered.request, confirmed.request]).toEqual([
      { ...common, path: '/v1/user/verify', body: { token: 'token' } },
      { ...common, path: '/v1/user/recover', body: { email: 'ada@example.org' } },
      { ...common, path: '/v1/user/recover/confirm', body: { token: 'token' } },
    ]);
  });
});

it('reads the last requests', async () => {
  const one = { time: AT, keyId: 7, keyLabel: null, method: 'GET', path: '/v1/tokens', status: 200, code: null };
  const requests = [{ ...one, help: null, cost: 0, milliseconds: 1.4 }];
  const wire = { complete: true, recordingSince: AT, requests };
  const { result, request } = await send(200, wire, (client) => client.requests());
  expect(result).toEqual({ complete: true, recordingSince: DATE, requests: [{ ...requests[0], time: DATE }] });
  expect(request).toMatchObject({ method: 'GET', path: '/v1/user/requests', key: KEY });
  const unread = await send(200, { ...wire, recordingSince: null }, (client) => client.requests({ status: 'failed' }));
  expect(unread.result.recordingSince).toBe(null);
  expect(unread.request.query).toEqual({ status: 'failed' });
});

it('reads and sets notices', async () => {
  const set = await send(200, { ...NOTICES, webhookSecret: 'whsec_a' }, (client) => client.setNotices(NOTICES));
  expect(set.result.webhookSecret).toBe('whsec_a');
  expect(set.request).toMatchObject({ method: 'PUT', path: '/v1/user/notices', key: KEY, body: NOTICES });
  const got = await send(200, NOTICES, (client) => client.notices());
  expect(got.result).toEqual(NOTICES);
  expect(got.request).toMatchObject({ method: 'GET', path: '/v1/user/notices', key: KEY });
});

describe('webhooks', () => {
  const id = '0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11';
  const payload = { type: 'webhook.test', timestamp: AT, data: { user: 1 } };
  const wire = {
    id,
    messageId: id,
    resendOf: null,
    status: 'retrying',
    attempts: 1,
    httpStatus: 503,
    reason: 'http_status',
    createdAt: AT,
    lastAttemptAt: AT,
    nextAttemptAt: AT,
    deliveredAt: null,
    payload,
  };
  const read = { ...wire, createdAt: DATE, lastAttemptAt: DATE, nextAttemptAt: DATE };

  it('are tested, listed and sent again', async () => {
    const sent = await send(202, wire, (client) => client.sendTestWebhook());
    const listed = await send(200, [wire], (client) => client.webhookDeliveries());
    const repeated = await send(202, wire, (client) => client.resendWebhook(id));
    expect([sent.result, listed.result, repeated.result]).toEqual([read, [read], read]);
    const common = { query: {}, key: KEY, body: '' };
    expect([sent.request, listed.request, repeated.request]).toEqual([
      { ...common, method: 'POST', path: '/v1/user/webhook/test' },
      { ...common, method: 'GET', path: '/v1/user/webhook/deliveries' },
      { ...common, method: 'POST', path: `/v1/user/webhook/deliveries/${id}/resend` },
    ]);
  });

  it.each(['../../..', '', 7])('are not sent again if the ID could be another path: %o', async (other) => {
    const call = owner.resendWebhook(other as string);
    expect(await failure(call)).toMatchObject({ code: 'invalid_request', status: undefined });
    expect(server.calls).toHaveLength(0);
  });
});
