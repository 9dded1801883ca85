import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR, iso } from '#core/clock';
import { createdKeyRecord } from '#keys/keys-records';
import { type Body, type Keys, openKeys } from './keys-harness.ts';

/* A new key whose members are sent as JSON: POST /v1/user/keys. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
  owner = await keys.service.register();
});
afterAll(() => keys?.service.close());

async function create(body: unknown, query = '', type = 'application/json') {
  const response = await fetch(`${keys.service.url}/v1/user/keys${query}`, {
    method: 'POST',
    headers: { 'x-api-key': owner, ...(type && { 'content-type': type }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { code, errors, ...rest } = (await response.json()) as Body & { errors?: { location: string; fix: string }[] };
  const locations = errors?.map(({ location }) => location);
  return { status: response.status, code, locations, fix: errors?.[0]?.fix, ...rest };
}

it('has the members of the body, as it has those of the query', async () => {
  const expiresAt = iso(keys.clock.now() + HOUR);
  const terms = { scopes: ['prices', 'node'], expiresAt, dailyLimit: 7, allowedOrigins: ['https://shop.example'] };
  const { status, code, locations, fix: _fix, ...made } = await create({ label: ' shop ', ...terms });
  expect([status, code, locations]).toEqual([201, undefined, undefined]);
  expect(createdKeyRecord.strict().parse(made)).toMatchObject({ label: 'shop', ...terms });
  const listed = (await keys.list(owner)).find((key) => key.id === made.id);
  expect(listed).toMatchObject({ label: 'shop', ...terms });
});

it('has the defaults for absent members, and for null', async () => {
  const defaults = { scopes: ['prices'], expiresAt: null, dailyLimit: null, allowedOrigins: null };
  const nulls = { label: 'x', scopes: null, expiresAt: null, dailyLimit: null, allowedOrigins: null };
  for (const body of [{ label: 'x' }, nulls, { label: 'x', allowedOrigins: [] }])
    expect(await create(body)).toMatchObject({ status: 201, ...defaults });
  expect(await create({ scopes: ['node'], label: 'x' }, '', 'application/vnd.api+json')).toMatchObject({
    scopes: ['node'],
  });
});

const OTHER_NAMES = [
  ['expiry', 'expiresAt'],
  ['expires', 'expiresAt'],
  ['ttl', 'expiresAt'],
  ['limit', 'dailyLimit'],
  ['rateLimit', 'dailyLimit'],
  ['origins', 'allowedOrigins'],
  ['permissions', 'scopes'],
] as const;

it.each(OTHER_NAMES)('is not created without a restriction that was sent as %s', async (name, own) => {
  const before = (await keys.list(owner)).length;
  const refused = { status: 400, code: 'invalid_request' };
  expect(await create({ label: 'x', [name]: 5 })).toMatchObject({ ...refused, locations: [`body.${own}`] });
  expect(await create('', `?label=x&${name}=5`, '')).toMatchObject({ ...refused, locations: [`query.${own}`] });
  expect(await keys.list(owner)).toHaveLength(before);
});

it('can have parts in the query and in the body, but no member in both', async () => {
  expect(await create({ label: 'x' }, '?scopes=node&dailyLimit=5')).toMatchObject({
    status: 201,
    scopes: ['node'],
    dailyLimit: 5,
  });
  expect(await create({ label: 'x', dailyLimit: 7 }, '?dailyLimit=5')).toMatchObject({
    status: 400,
    code: 'invalid_request',
    locations: ['query.dailyLimit'],
  });
});

it.each([
  [{ scopes: ['prices'] }, 'body.label'],
  [{ label: '' }, 'body.label'],
  [{ label: 'x', scopes: 'prices' }, 'body.scopes'],
  [{ label: 'x', scopes: ['account'] }, 'body.scopes'],
  [{ label: 'x', dailyLimit: '5' }, 'body.dailyLimit'],
  [{ label: 'x', dailylimit: 5 }, 'body.dailyLimit'],
  [{ label: 'x', expiresAt: 'tomorrow' }, 'body.expiresAt'],
  [{ label: 'x', allowedOrigins: ['shop'] }, 'body.allowedOrigins'],
  [['x'], 'body'],
  ['"x"', 'body'],
  ['{"label":', 'body'],
])('is not created from %j', async (body, location) => {
  const before = (await keys.list(owner)).length;
  expect(await create(body)).toMatchObject({ status: 400, code: 'invalid_request', locations: [location] });
  expect(await keys.list(owner)).toHaveLength(before);
});

it('is not read in another encoding than UTF-8, or with a key as its label', async () => {
  const before = (await keys.list(owner)).length;
  const send = async (body: Uint8Array<ArrayBuffer>) => {
    const headers = { 'x-api-key': owner, 'content-type': 'application/json' };
    const response = await fetch(`${keys.service.url}/v1/user/keys`, { method: 'POST', headers, body });
    return ((await response.json()) as { errors: { location: string }[] }).errors.map(({ location }) => location);
  };
  expect(await send(new Uint8Array(Buffer.from('{"label":"José"}', 'latin1')))).toEqual(['body']);
  expect(await send(new Uint8Array(Buffer.from('{"label":"José"}', 'utf16le')))).toEqual(['body']);
  expect((await create({ label: `x ${owner}` })).locations).toEqual(['body.label']);
  expect((await create('', `?label=${owner}`, '')).locations).toEqual(['query.label']);
  expect(await keys.list(owner)).toHaveLength(before);
});

it('is rejected with the accepted form of each member', async () => {
  for (const member of ['scopes', 'expiresAt', 'dailyLimit', 'allowedOrigins'])
    expect((await create({ label: 'x', [member]: { x: 1 } })).fix).toMatch(/^use an? /);
});

it('is created from the query, whatever an empty body or a body without parameters contains', async () => {
  for (const [body, type] of [
    ['', 'application/json'],
    ['{}', 'application/json'],
    ['null', 'application/json'],
    ['x=y', 'application/x-www-form-urlencoded'],
    ['{"x":"y"}', 'text/plain'],
    ['{"x":"y"}', 'nonsense'],
  ] as const)
    expect([body, type, await create(body, '?label=x', type)]).toMatchObject([body, type, { status: 201, label: 'x' }]);
});

it('is not created without the parameters of a body of another type', async () => {
  for (const [body, type] of [
    ['label=y&dailyLimit=5', 'application/x-www-form-urlencoded'],
    ['{"label":"y"}', 'text/plain'],
    ['{"label":"y"}', 'nonsense'],
  ] as const)
    expect([body, await create(body, '?label=x', type)]).toMatchObject([body, { status: 400, locations: ['body'] }]);
});
