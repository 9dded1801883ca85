import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { byOperator } from '#accounts/keys/api-key';
import { DAY, iso, SECOND } from '#core/clock';
import { OPERATOR } from '../../support/operator.ts';
import { PRICED } from '../../support/service/hammer.ts';
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

it('an owner key replaced by another process cannot create or delete keys, even before this process reads the change', async () => {
  const { id } = await keys.make(owner);
  const { prisma } = keys.service.database;
  const userKey = await keys.userOf(owner);
  await prisma.apiKey.updateMany({ where: { userKey, label: null }, data: { revokedAt: new Date(0) } });
  const stored = () => prisma.apiKey.findMany({ where: { userKey }, orderBy: { id: 'asc' } });
  // A use that is written later would change the rows.
  await keys.service.parts.allowance.writeUse();
  const before = await stored();
  expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('api_key_revoked');
  expect(await keys.outcome('DELETE', `/v1/user/keys/${id}`, owner)).toBe('api_key_revoked');
  expect(await stored()).toEqual(before);
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

it('a recovery creates a new owner key: the old ones are revoked immediately, and other keys stay valid', async () => {
  const { users } = keys.service.parts;
  const { apiKey } = await keys.make(owner);
  const rotated = (await keys.ask('POST', '/v1/user/rotate?graceSeconds=600', owner)).body;
  const fresh = await users.recover(rotated.key);
  expect(await keys.outcome('GET', PRICED, fresh?.apiKey ?? '')).toBe(200);
  for (const dead of [owner, rotated.apiKey]) expect(await keys.outcome('GET', PRICED, dead)).toBe('api_key_revoked');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  owner = fresh?.apiKey ?? '';
  expect(await keys.list(owner)).toHaveLength(2);
});

it('no owner key is recovered for a user who is erased or whose keys the operator has revoked', async () => {
  const { users } = keys.service.parts;
  const [erased, revoked] = [await keys.userOf(owner), await keys.userOf(await keys.service.register())];
  await users.erase(byOperator(erased, OPERATOR));
  await users.revoke(byOperator(revoked, OPERATOR));
  for (const key of [erased, revoked]) expect(await users.recover(key)).toBeUndefined();
});

it('a rotation by the operator replaces the owner key and does not change keys with other scopes', async () => {
  const { id, apiKey } = await keys.make(owner);
  const { apiKey: fresh } = await keys.service.parts.users.rotate(byOperator(await keys.userOf(owner), OPERATOR), 0);
  expect(await keys.outcome('GET', PRICED, owner)).toBe('api_key_revoked');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  expect(await keys.list(fresh)).toMatchObject([{ replacedAt: null }, { id, replacedAt: null }]);
});

it('the operator cannot create a key or a term for an erased user', async () => {
  const { users } = keys.service.parts;
  const user = byOperator(await keys.userOf(owner), OPERATOR);
  await users.erase(user);
  for (const change of [users.rotate, users.renew, users.erase])
    await expect(change(user)).rejects.toMatchObject({ code: 'user_erased' });
  const keysOfUser = { where: { userKey: user.userKey, revokedAt: null } };
  expect(await keys.service.database.prisma.apiKey.count(keysOfUser)).toBe(0);
});
