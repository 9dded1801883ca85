import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAY, iso, SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { OPERATOR } from '../support/operator.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Keys, openKeys } from './keys-harness.ts';

/* How the owner key is replaced, and what a replaced owner key can do. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

it('a replaced owner key lists keys but cannot create or delete any; other keys stay valid', async () => {
  const { id, apiKey } = await keys.make(owner);
  await keys.ask('POST', '/v1/user/rotate?graceSeconds=600', owner);
  expect(await keys.list(owner)).toMatchObject([
    { replacedAt: null },
    { id },
    {
      start: owner.slice(0, 7),
      replacedAt: iso(keys.clock.now()),
      expiresAt: iso(keys.clock.now() + 600 * SECOND),
    },
  ]);
  expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('api_key_revoked');
  expect(await keys.outcome('DELETE', `/v1/user/keys/${id}`, owner)).toBe('api_key_revoked');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
});

it('the owner key of an expired user lists keys, and creates none until the term is renewed', async () => {
  const { apiKey } = await keys.make(owner);
  await keys.moveTo(keys.clock.now() + 32 * DAY);
  expect(await keys.list(owner)).toHaveLength(2);
  expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('api_key_expired');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe('api_key_expired');
  expect(await keys.outcome('POST', '/v1/user/renew', owner)).toBe(200);
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
});

it('a rotation by the operator replaces the owner key and does not change keys with other scopes', async () => {
  const { id, apiKey } = await keys.make(owner);
  const { apiKey: fresh } = await keys.service.parts.keys.rotate(byOperator(await keys.userOf(owner), OPERATOR), 0);
  expect(await keys.outcome('GET', PRICED, owner)).toBe('api_key_revoked');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  expect(await keys.list(fresh)).toMatchObject([{ replacedAt: null }, { id, replacedAt: null }]);
});

it('the operator cannot create a key or a term for an erased user', async () => {
  const { users, keys: service } = keys.service.parts;
  const user = byOperator(await keys.userOf(owner), OPERATOR);
  await users.erase(user);
  for (const change of [service.rotate, users.renew, users.erase])
    await expect(change(user)).rejects.toMatchObject({ code: 'user_erased' });
  const keysOfUser = { where: { userKey: user.userKey, revokedAt: null } };
  expect(await keys.service.database.prisma.apiKey.count(keysOfUser)).toBe(0);
});
