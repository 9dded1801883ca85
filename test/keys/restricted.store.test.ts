import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, iso, SECOND } from '#core/clock';
import { MAX_DEAD_KEYS_PER_USER, MAX_KEYS_PER_USER } from '#keys/api-key';
import { apiKeyRecord, createdKeyRecord } from '#keys/keys-records';
import { userOfKey, userRecord } from '#users/users-records';
import { PRICED } from '../support/service/hammer.ts';
import { type Body, hasErrorsOfItsOwn, type Keys, openKeys } from './keys-harness.ts';

/* Keys with restricted scopes: how they are created and ended, and what they cannot do. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

describe('a created key', () => {
  it('is shown once, with its scopes; the list contains its other members, newest first', async () => {
    const until = iso(keys.clock.now() + HOUR);
    const query = new URLSearchParams({
      label: '  the shop window ',
      scopes: 'node, prices',
      expiresAt: until,
    });
    const { status, body, headers } = await keys.ask('POST', `/v1/user/keys?${query}`, owner);
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    const made = createdKeyRecord.strict().parse(body);
    expect(made).toMatchObject({
      label: 'the shop window',
      scopes: ['prices', 'node'],
      start: made.apiKey.slice(0, 7),
      createdAt: iso(keys.clock.now()),
      expiresAt: until,
      dailyLimit: null,
      allowedOrigins: null,
      url: null,
    });
    const listed = await keys.ask('GET', '/v1/user/keys', owner);
    expect(listed.headers.get('cache-control')).toBe('no-store');
    const records = apiKeyRecord.strict().array().parse(listed.body);
    const { apiKey, blockedOrigins, ...rest } = made;
    expect(blockedOrigins).toEqual([]);
    expect(records).toEqual([
      { ...rest, url: false, lastUsedAt: null, exposedAt: null, replacedAt: null },
      expect.objectContaining({
        label: null,
        scopes: ['account', 'prices', 'node'],
        start: owner.slice(0, 7),
        expiresAt: null,
      }),
    ]);
    expect(JSON.stringify(records)).not.toContain(apiKey);
  });

  it('has the scope prices and no expiry by default', async () => {
    expect(await keys.make(owner)).toMatchObject({ scopes: ['prices'], expiresAt: null });
  });

  it.each([
    ['no label', { label: '' }, 'query.label'],
    ['a label that is too long', { label: 'x'.repeat(101) }, 'query.label'],
    ['a control character', { label: 'a\u0007b' }, 'query.label'],
    ['the scope account', { scopes: 'prices,account' }, 'query.scopes'],
    ['an unknown scope', { scopes: 'price' }, 'query.scopes'],
    ['no scope', { scopes: ',' }, 'query.scopes'],
    ['an expiry in the past', { expiresAt: '2026-01-31T12:00:30.000Z' }, 'query.expiresAt'],
    ['an expiry after the year 9999', { expiresAt: '9999-12-31T23:59:59-00:01' }, 'query.expiresAt'],
    ['an expiry without a time', { expiresAt: '2030-01-31' }, 'query.expiresAt'],
    ['a date that does not exist', { expiresAt: '2030-02-30T00:00:00Z' }, 'query.expiresAt'],
  ])('is rejected with %s', async (_what, query, location) => {
    const path = `/v1/user/keys?${new URLSearchParams({ label: 'shop', ...query })}`;
    const { status, body } = await keys.ask('POST', path, owner);
    expect([status, body]).toMatchObject([
      400,
      { code: 'invalid_request', errors: [{ location, fix: expect.stringMatching(/^use /) }] },
    ]);
    expect(await keys.list(owner)).toHaveLength(1);
  });

  it('expires on every path at the requested time, and no longer counts toward the number of keys', async () => {
    const { apiKey } = await keys.make(owner, { expiresAt: '2026-01-31T15:00:00+02:00' });
    for (let n = 2; n < MAX_KEYS_PER_USER; n++) await keys.make(owner);
    expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('too_many_keys');
    await keys.moveTo(Date.UTC(2026, 0, 31, 13));
    for (const path of [PRICED, '/v1/user/usage', `/v1/user/data?api=${apiKey}`])
      expect(await keys.outcome('GET', path, apiKey)).toBe('api_key_expired');
    expect(await keys.outcome('POST', '/v1/user/renew', apiKey)).toBe('api_key_expired');
    expect(await keys.list(owner)).toHaveLength(MAX_KEYS_PER_USER - 1);
    await keys.make(owner);
  });
});

describe('scopes of a key', () => {
  type Operation = { 'x-scope'?: string };

  it('are enforced on every path, before parameters, without a charge', async () => {
    const made = { prices: await keys.make(owner), node: await keys.make(owner, { scopes: 'node' }) };
    const { paths } = (await (await keys.service.get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    let rejections = 0;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { 'x-scope': wanted }] of Object.entries(operations)) {
        if (wanted === undefined) continue;
        for (const [scope, { apiKey }] of Object.entries(made)) {
          const { status, body } = await keys.ask(method.toUpperCase(), path.replace(/\{\w+\}/g, '7'), apiKey);
          if (scope === wanted) {
            expect(status, `${method} ${path}`).not.toBe(403);
            continue;
          }
          if (hasErrorsOfItsOwn(path)) expect([401, 403], `${method} ${path}`).toContain(status);
          else {
            const problem = { code: 'scope_missing', scope: wanted, detail: expect.stringContaining(wanted) };
            expect([status, body], `${method} ${path}`).toMatchObject([403, problem]);
          }
          rejections += 1;
        }
      }
    }
    expect(rejections).toBeGreaterThan(20);
    const usage = await keys.ask('GET', '/v1/user/usage', made.node.apiKey);
    expect([usage.status, usage.body]).toMatchObject([200, { used: 0 }]);
  });

  it('never include account: the key cannot read or change keys, the user or the term', async () => {
    const { id, apiKey } = await keys.make(owner, { scopes: 'prices,node' });
    for (const [method, path] of [
      ['GET', '/v1/user/keys'],
      ['POST', '/v1/user/keys?label=x'],
      ['PATCH', `/v1/user/keys/${id}`],
      ['DELETE', `/v1/user/keys/${id}`],
      ['POST', '/v1/user/rotate'],
      ['POST', '/v1/user/renew'],
      ['DELETE', '/v1/user'],
    ] as const)
      expect(await keys.outcome(method, path, apiKey), `${method} ${path}`).toBe('scope_missing');
    expect(await keys.list(owner)).toHaveLength(2);
  });

  it('are enforced on the fast path as well, when a response is cached for other keys', async () => {
    const [prices, node] = [await keys.make(owner), await keys.make(owner, { scopes: 'node' })];
    for (let n = 0; n < 3; n++) expect(await keys.outcome('GET', PRICED, prices.apiKey)).toBe(200);
    for (let n = 0; n < 3; n++) expect(await keys.outcome('GET', PRICED, node.apiKey)).toBe('scope_missing');
    expect((await keys.ask('GET', '/v1/user/usage', owner)).body).toMatchObject({ used: 3 });
  });

  it("show the user's name and email address only to keys with the scope account", async () => {
    const person = { name: 'Ada Lovelace', email: 'ada@example.org' };
    expect(userRecord.strict().parse((await keys.ask('GET', '/v1/user/data', owner)).body)).toMatchObject(person);
    const rotated = (await keys.ask('POST', '/v1/user/rotate?graceSeconds=600', owner)).body.apiKey;
    for (const key of [owner, rotated])
      expect((await keys.ask('GET', '/v1/user/data', key)).body).toMatchObject(person);
    for (const scopes of ['prices', 'node', 'prices,node']) {
      const { apiKey } = await keys.make(rotated, { scopes });
      const [known, { body }] = [await keys.userOf(owner), await keys.ask('GET', '/v1/user/data', apiKey)];
      expect(userOfKey.strict().parse(body)).toMatchObject({ apiKey, key: known, name: null, email: null });
      expect((await keys.ask('GET', `/v1/user/data?api=${apiKey}`, rotated)).body).toEqual(body);
    }
  });

  it("hide the user's identity from keys without the scope account, in every response", async () => {
    const form = new URLSearchParams({ name: 'Grace Hopper', email: 'grace@example.net', plan: 'monthly' });
    const { body: grace } = await keys.ask('POST', `/v1/user/create?${form}`, '');
    const { apiKey } = await keys.make(grace.apiKey, { scopes: 'prices,node' });
    const { paths } = (await (await keys.service.get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const requests = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, '7')] as const),
    );
    // Includes paths that the fast path serves.
    for (const [method, path] of [...requests, ['GET', PRICED], ['GET', PRICED], ['GET', PRICED]] as const) {
      const { body, headers } = await keys.ask(method, path, apiKey);
      expect(JSON.stringify([body, ...headers]), `${method} ${path}`).not.toMatch(/hopper|grace@example/i);
    }
  });

  it('do not restrict routes that require no scope', async () => {
    const { apiKey } = await keys.make(owner, { scopes: 'node' });
    expect(await keys.outcome('GET', '/v1/user/usage', apiKey)).toBe(200);
    expect((await keys.ask('GET', '/v1/user/data', apiKey)).body).toMatchObject({ apiKey });
    expect(await keys.outcome('GET', '/v1/node/node_info', apiKey)).toBe('node_not_configured');
  });
});

describe('deletion of a key', () => {
  it('revokes it immediately and removes it from the list; a repeated deletion changes nothing', async () => {
    const { id, apiKey } = await keys.make(owner);
    expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
    for (let n = 0; n < 2; n++) expect((await keys.ask('DELETE', `/v1/user/keys/${id}`, owner)).status).toBe(204);
    expect(await keys.outcome('GET', PRICED, apiKey)).toBe('api_key_revoked');
    expect(await keys.list(owner)).toHaveLength(1);
  });

  it("responds with not_found for another user's key and for an unknown key", async () => {
    const { id, apiKey } = await keys.make(owner);
    const stranger = await keys.service.register();
    for (const other of [String(id), '2147483647', '9999999999'])
      expect(await keys.outcome('DELETE', `/v1/user/keys/${other}`, stranger)).toBe('not_found');
    for (const wrong of ['0', '-1', 'x', '1.5', '12345678901'])
      expect(await keys.outcome('DELETE', `/v1/user/keys/${wrong}`, owner)).toBe('invalid_request');
    expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  });

  it('rejects the last owner key, and accepts a replaced owner key in its grace period', async () => {
    const [{ id }] = (await keys.list(owner)) as unknown as [Body];
    expect(await keys.outcome('DELETE', `/v1/user/keys/${id}`, owner)).toBe('last_owner_key');
    const { apiKey } = (await keys.ask('POST', '/v1/user/rotate?graceSeconds=600', owner)).body;
    expect((await keys.ask('DELETE', `/v1/user/keys/${id}`, apiKey)).status).toBe(204);
    expect(await keys.outcome('GET', PRICED, owner)).toBe('api_key_revoked');
  });

  it('leaves a bounded number of rows', async () => {
    const { key: userKey } = (await keys.ask('GET', '/v1/user/data', owner)).body as unknown as {
      key: number;
    };
    for (let n = 0; n < MAX_DEAD_KEYS_PER_USER + 5; n++) {
      const { id } = await keys.make(owner);
      keys.clock.pass(SECOND);
      await keys.ask('DELETE', `/v1/user/keys/${id}`, owner);
    }
    expect(await keys.service.database.prisma.apiKey.count({ where: { userKey } })).toBe(MAX_DEAD_KEYS_PER_USER + 2);
  });
});
