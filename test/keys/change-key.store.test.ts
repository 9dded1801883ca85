import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, iso } from '#core/clock';
import { apiKeyRecord } from '#keys/keys-records';
import { PRICED } from '../support/service/hammer.ts';
import { type Body, type Keys, openKeys } from './keys-harness.ts';

/* A change to a key: PATCH /v1/user/keys/{id}. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

async function change(id: number, body: unknown, key = owner, type = 'application/json') {
  const response = await fetch(`${keys.service.url}/v1/user/keys/${id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': key, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { headers, status } = response;
  return { status, headers, body: (await response.json()) as Body & { errors: { location: string }[] } };
}

const listed = async (id: number) => (await keys.list(owner)).find((key) => key.id === id);

it('returns the record of the key, without its secret; absent members stay as they are', async () => {
  const made = await keys.make(owner, { scopes: 'node', dailyLimit: '7', expiresAt: iso(keys.clock.now() + HOUR) });
  expect(made).toMatchObject({ dailyLimit: 7 });
  const before = await listed(made.id);
  expect(before).toMatchObject({ label: 'shop', dailyLimit: 7 });
  const { status, headers, body } = await change(made.id, { label: '  window ' });
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(apiKeyRecord.strict().parse(body)).toEqual({ ...before, label: 'window' });
  expect(await listed(made.id)).toEqual(body);
});

it('changes every member, and null removes the expiry, the limit and the origins', async () => {
  const { id } = await keys.make(owner);
  const until = iso(keys.clock.now() + HOUR);
  const allowedOrigins = ['https://shop.example'];
  const terms = { label: 'x', scopes: ['prices', 'node'], expiresAt: until, dailyLimit: 2_147_483_647, allowedOrigins };
  expect((await change(id, { ...terms, scopes: ['node', 'prices'] })).body).toMatchObject(terms);
  const none = { expiresAt: null, dailyLimit: null, allowedOrigins: null };
  expect((await change(id, none)).body).toMatchObject({ ...terms, ...none });
  expect(await listed(id)).toMatchObject({ ...terms, ...none });
});

it('takes effect immediately in this process, on the fast path as well', async () => {
  const { id, apiKey } = await keys.make(owner);
  for (let n = 0; n < 3; n++) expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  await change(id, { scopes: ['node'] });
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe('scope_missing');
  await change(id, { scopes: ['prices'], expiresAt: iso(keys.clock.now() + HOUR) });
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  await keys.moveTo(keys.clock.now() + HOUR);
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe('api_key_expired');
});

describe('an owner key', () => {
  it('accepts a label and a limit, but neither scopes nor an expiry nor origins', async () => {
    const [{ id }] = (await keys.list(owner)) as [Body];
    expect((await change(id, { label: 'mine', dailyLimit: 5 })).body).toMatchObject({ label: 'mine', dailyLimit: 5 });
    const rejected = await change(id, { label: 'x', scopes: ['prices'], expiresAt: null, allowedOrigins: [] });
    expect(rejected.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ location: 'body.scopes' }, { location: 'body.expiresAt' }, { location: 'body.allowedOrigins' }],
    });
    expect(await listed(id)).toMatchObject({ label: 'mine', scopes: ['account', 'prices', 'node'] });
  });

  it('cannot be changed once it is replaced, so its grace period stays', async () => {
    const [{ id }] = (await keys.list(owner)) as [Body];
    const { apiKey } = (await keys.ask('POST', '/v1/user/rotate?graceSeconds=600', owner)).body;
    for (const body of [{ label: 'x' }, { expiresAt: null }])
      expect((await change(id, body, apiKey)).body.code).toBe('not_found');
  });
});

it('rejects keys that have ended, keys of another user, and unknown keys', async () => {
  const [deleted, expired, foreign] = [
    await keys.make(owner),
    await keys.make(owner, { expiresAt: iso(keys.clock.now() + HOUR) }),
    await keys.make(await keys.service.register()),
  ];
  await keys.ask('DELETE', `/v1/user/keys/${deleted.id}`, owner);
  await keys.moveTo(keys.clock.now() + HOUR);
  for (const id of [deleted.id, expired.id, foreign.id, 2_147_483_647, 9_999_999_999])
    expect((await change(id, { label: 'x' })).body.code).toBe('not_found');
});

it.each([
  ['no member', {}, 'body'],
  ['only unknown members', { colour: 'x' }, 'body'],
  ['a label under another name', { name: 'x', dailyLimit: 5 }, 'body.label'],
  ['a limit under another name', { label: 'x', limit: 5 }, 'body.dailyLimit'],
  ['an expiry under another name', { label: 'x', expires_in: 60 }, 'body.expiresAt'],
  ['no object', [], 'body'],
  ['no body', '', 'body'],
  ['a misspelled member', { label: 'x', dailylimit: 5 }, 'body.dailyLimit'],
  ['an empty label', { label: ' ' }, 'body.label'],
  ['a label of null', { label: null }, 'body.label'],
  ['no scopes', { scopes: [] }, 'body.scopes'],
  ['scopes as text', { scopes: 'prices' }, 'body.scopes'],
  ['the scope account', { scopes: ['account', 'prices'] }, 'body.scopes'],
  ['an unknown scope', { scopes: ['price'] }, 'body.scopes'],
  ['an expiry in the past', { expiresAt: '2026-01-31T12:00:30.000Z' }, 'body.expiresAt'],
  ['a limit of 0', { dailyLimit: 0 }, 'body.dailyLimit'],
  ['a limit with a fraction', { dailyLimit: 1.5 }, 'body.dailyLimit'],
  ['a limit as text', { dailyLimit: '5' }, 'body.dailyLimit'],
  ['origins as text', { allowedOrigins: 'https://a.example' }, 'body.allowedOrigins'],
  ['an origin that is not text', { allowedOrigins: [7] }, 'body.allowedOrigins'],
  ['an origin with a path', { allowedOrigins: ['https://a.example/b'] }, 'body.allowedOrigins'],
  ['a limit that is too high', { dailyLimit: 2_147_483_648 }, 'body.dailyLimit'],
])('rejects %s, and changes nothing', async (_what, body, location) => {
  const { id } = await keys.make(owner, { dailyLimit: '3' });
  // The last use is written a little later than the call.
  const terms = async () => (await keys.list(owner)).map((key) => ({ ...key, lastUsedAt: undefined }));
  const before = await terms();
  const { status, body: problem } = await change(id, body);
  expect([status, problem.code, problem.errors.map((fault) => fault.location)]).toEqual([
    400,
    'invalid_request',
    [location],
  ]);
  expect(await terms()).toEqual(before);
});

it('rejects a body of another type, and a body over 4 KB', async () => {
  const { id } = await keys.make(owner);
  expect((await change(id, '<x/>', owner, 'text/xml')).body.code).toBe('unsupported_media_type');
  expect((await change(id, { label: 'x'.repeat(5000) })).body.code).toBe('body_too_large');
});

it.each(['0', '-1', '1.5', 'x', '', '2147483648'])('a key with dailyLimit=%s is not created', async (dailyLimit) => {
  const { body } = await keys.ask('POST', `/v1/user/keys?${new URLSearchParams({ label: 'x', dailyLimit })}`, owner);
  expect(body).toMatchObject({ code: 'invalid_request', errors: [{ location: 'query.dailyLimit' }] });
});
