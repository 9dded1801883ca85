import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QuotientClient } from '#client/index';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream/upstream-server.ts';
import { failure } from './failure.ts';

/* The requests of the account calls, and how their responses are read, against the contract. */

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const AT = '2026-11-22T12:00:00.000Z';
const DATE = new Date(AT);
const USER = {
  ...{ key: 1, name: 'Ada', email: 'ada@example.org', apiKey: KEY, plan: 'monthly', limit: 10_000 },
  ...{ createdAt: AT, validUntil: AT, updatedAt: AT },
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

/** The result of a call that receives this response, and the request that it sent. */
async function ask<T>(status: number, body: unknown, call: (client: QuotientClient) => Promise<T>) {
  server.follow(() => ({ status, body: body === undefined ? '' : JSON.stringify(body) }));
  const result = await call(owner);
  const { method, path, query, headers, body: sent } = server.calls.at(-1) ?? expect.fail('no request was sent');
  return {
    result,
    asked: { method, path, query, key: headers['x-api-key'], body: sent && JSON.parse(sent) },
  };
}

describe('keys', () => {
  it('are made with a label, scopes and an end', async () => {
    const made = { id: 7, label: 'shop & window', scopes: ['prices', 'node'], apiKey: KEY, start: 'qt_EXAM' };
    const { result, asked } = await ask(201, { ...made, createdAt: AT, expiresAt: AT }, (client) =>
      client.createKey({ label: 'shop & window', scopes: ['prices', 'node'], expiresAt: DATE }),
    );
    expect(result).toEqual({ ...made, createdAt: DATE, expiresAt: DATE });
    expect(asked).toEqual({
      ...{ method: 'POST', path: '/v1/user/keys', key: KEY, body: '' },
      query: { label: 'shop & window', scopes: 'prices,node', expiresAt: AT },
    });
  });

  it('need no more than a label', async () => {
    const made = { id: 7, label: 'a', scopes: ['prices'], apiKey: KEY, start: 'qt_EXAM', expiresAt: null };
    const { result, asked } = await ask(201, { ...made, createdAt: AT }, (client) => client.createKey({ label: 'a' }));
    expect(result.expiresAt).toBeNull();
    expect(asked.query).toEqual({ label: 'a' });
  });

  it('are listed with dates', async () => {
    const entry = { id: 7, label: null, scopes: ['account', 'prices', 'node'], start: null };
    const wire = { ...entry, createdAt: AT, lastUsedAt: AT, expiresAt: null, replacedAt: null };
    const { result, asked } = await ask(200, [wire], (client) => client.keys());
    expect(result).toEqual([{ ...wire, createdAt: DATE, lastUsedAt: DATE }]);
    expect(asked).toMatchObject({ method: 'GET', path: '/v1/user/keys', key: KEY });
  });

  it('are deleted by their number', async () => {
    const { result, asked } = await ask(204, undefined, (client) => client.deleteKey(7));
    expect(result).toBeUndefined();
    expect(asked).toMatchObject({ method: 'DELETE', path: '/v1/user/keys/7', key: KEY });
  });

  it.each([new Date(Number.NaN), 7, {}])('reject an end that is not a time: %o', async (expiresAt) => {
    const call = owner.createKey({ label: 'a', expiresAt: expiresAt as Date });
    expect(await failure(call)).toMatchObject({ code: 'invalid_request', status: undefined });
    expect(server.calls).toHaveLength(0);
  });
});

describe('what is mailed about', () => {
  const pending = { email: 'ada@example.org', expiresAt: AT };
  const form = { name: 'Ada', email: 'ada@example.org', plan: 'monthly' } as const;

  it('a registration that waits for it has no key', async () => {
    const { result, asked } = await ask(202, pending, (client) => client.createUser(form));
    expect(result).toEqual({ ...pending, expiresAt: DATE });
    expect(result.apiKey).toBeUndefined();
    expect(asked).toMatchObject({ path: '/v1/user/create', query: form, key: undefined });
  });

  it('sends the one-time code in a body, without the key', async () => {
    const verified = await ask(201, USER, (client) => client.verify('token'));
    const recovered = await ask(202, undefined, (client) => client.recover('ada@example.org'));
    const confirmed = await ask(200, USER, (client) => client.confirmRecovery('token'));
    expect([verified.result, recovered.result, confirmed.result]).toEqual([READ_USER, undefined, READ_USER]);
    const common = { method: 'POST', query: {}, key: undefined };
    expect([verified.asked, recovered.asked, confirmed.asked]).toEqual([
      { ...common, path: '/v1/user/verify', body: { token: 'token' } },
      { ...common, path: '/v1/user/recover', body: { email: 'ada@example.org' } },
      { ...common, path: '/v1/user/recover/confirm', body: { token: 'token' } },
    ]);
  });
});

it('reads and sets notices', async () => {
  const set = await ask(200, { ...NOTICES, webhookSecret: 'whsec_a' }, (client) => client.setNotices(NOTICES));
  expect(set.result.webhookSecret).toBe('whsec_a');
  expect(set.asked).toMatchObject({ method: 'PUT', path: '/v1/user/notices', key: KEY, body: NOTICES });
  const got = await ask(200, NOTICES, (client) => client.notices());
  expect(got.result).toEqual(NOTICES);
  expect(got.asked).toMatchObject({ method: 'GET', path: '/v1/user/notices', key: KEY });
});
