import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { usageRecord } from '#users/users-records';
import { type Keys, openKeys } from '../../keys/keys-harness.ts';
import { PRICED } from '../../support/service/hammer.ts';

/* GET /v1/user/usage with `by`. */

const LATEST = '/v1/prices/latest/token';
const TOKENS = '/v1/prices/latest/tokens';
const DAYS = '/v1/prices/history/days';
const DATE = '2026-01-31';

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

async function usage(by: string, key = owner) {
  const { status, body } = await keys.ask('GET', `/v1/user/usage?by=${by}`, key);
  expect(status).toBe(200);
  return usageRecord.strict().parse(body);
}

async function call(path: string, key: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n++) expect(await keys.outcome('GET', path, key)).toBe(200);
}

const day = (calls: number) => ({ calls, daily: [{ date: DATE, calls }] });

it('breaks the calls down by key and by path, before and after they are settled', async () => {
  const shop = await keys.make(owner);
  await call(PRICED, owner, 3);
  await call(PRICED, shop.apiKey, 2);
  await call(`${TOKENS}?tokenNames=bitcoin,ethereum`, shop.apiKey);
  await call(`${DAYS}?tokenName=bitcoin&days=2`, shop.apiKey);
  const [, { id }] = (await keys.list(owner)) as [unknown, { id: number }];
  const byKey = [
    { id: shop.id, label: 'shop', start: shop.apiKey.slice(0, 7), ...day(4) },
    { id, label: null, start: owner.slice(0, 7), ...day(3) },
  ];
  const byPath = [
    { path: LATEST, ...day(5) },
    { path: TOKENS, ...day(1) },
    { path: DAYS, ...day(1) },
  ];
  for (let n = 0; n < 2; n++) {
    expect(await usage('key')).toMatchObject({ used: 7, daily: [{ date: DATE, calls: 7 }], keys: byKey });
    const { paths, keys: none } = await usage('path');
    expect([paths?.toSorted((a, b) => b.calls - a.calls), none]).toEqual([byPath, undefined]);
    await keys.service.parts.allowance.settle();
  }
  expect((await keys.ask('GET', '/v1/user/usage', owner)).body).not.toHaveProperty('keys');
});

it('does not count free responses', async () => {
  await call(PRICED, owner);
  const { headers } = await keys.ask('GET', PRICED, owner);
  const etag = headers.get('etag') as string;
  expect((await keys.ask('GET', PRICED, owner, { 'if-none-match': etag })).status).toBe(304);
  expect(await keys.outcome('GET', `${DAYS}?tokenName=bitcoin&days=0`, owner)).toBe('invalid_request');
  expect(await keys.outcome('GET', '/v1/prices/history/date?tokenName=bitcoin&date=01-01-2009', owner)).toBe('no_data');
  expect((await usage('path')).paths).toEqual([{ path: LATEST, ...day(2) }]);
});

it('a revoked key keeps its label, and a deleted key its ID', async () => {
  const shop = await keys.make(owner);
  await call(PRICED, shop.apiKey);
  await keys.ask('DELETE', `/v1/user/keys/${shop.id}`, owner);
  const start = shop.apiKey.slice(0, 7);
  expect((await usage('key')).keys).toEqual([{ id: shop.id, label: 'shop', start, ...day(1) }]);
  await keys.service.database.prisma.apiKey.delete({ where: { id: shop.id } });
  expect((await usage('key')).keys).toEqual([{ id: shop.id, label: null, start: null, ...day(1) }]);
});

it('shows labels only to keys with the scope account', async () => {
  const shop = await keys.make(owner);
  await call(PRICED, shop.apiKey);
  expect((await usage('key', shop.apiKey)).keys).toEqual([{ id: shop.id, label: null, start: null, ...day(1) }]);
});

it('attributes the calls of a release that records neither keys nor paths to null', async () => {
  await call(PRICED, owner, 2);
  await keys.service.parts.allowance.settle();
  const userKey = await keys.userOf(owner);
  await keys.service.database.prisma.usageDay.upsert({
    where: { userKey_date: { userKey, date: new Date(DATE) } },
    create: { userKey, date: new Date(DATE), calls: 5 },
    update: { calls: { increment: 5 } },
  });
  expect((await usage('path')).paths?.toSorted((a, b) => b.calls - a.calls)).toEqual([
    { path: null, ...day(5) },
    { path: LATEST, ...day(2) },
  ]);
  expect((await usage('key')).keys).toMatchObject([{ id: null, calls: 5 }, { calls: 2 }]);
});

it.each(['token', '', 'key,path'])('rejects by=%s', async (by) => {
  const { body } = await keys.ask('GET', `/v1/user/usage?by=${by}`, owner);
  expect(body).toMatchObject({ code: 'invalid_request', errors: [{ location: 'query.by' }] });
});
