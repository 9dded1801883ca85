import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { byOperator } from '#accounts/keys/api-key';
import { DAY, iso, SECOND } from '#core/clock';
import { PRICED } from '../../support/service/hammer.ts';
import { type Keys, openKeys } from './keys-harness.ts';

/* The owner key: how it is replaced, and what it may do once it was. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

it('an owner key that was replaced lists the keys, and makes and deletes none; the others live on', async () => {
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

it('an owner key that was replaced on another process makes and deletes none, although this one does not know yet', async () => {
  const { id } = await keys.make(owner);
  const { prisma } = keys.service.database;
  const userKey = await keys.userOf(owner);
  await prisma.apiKey.updateMany({ where: { userKey, label: null }, data: { revokedAt: new Date(0) } });
  const before = await prisma.apiKey.findMany({ where: { userKey }, orderBy: { id: 'asc' } });
  expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('api_key_revoked');
  expect(await keys.outcome('DELETE', `/v1/user/keys/${id}`, owner)).toBe('api_key_revoked');
  expect(await prisma.apiKey.findMany({ where: { userKey }, orderBy: { id: 'asc' } })).toEqual(before);
});

it('the owner key of a user whose term is over lists the keys, and makes none before it is renewed', async () => {
  const { apiKey } = await keys.make(owner);
  await keys.moveTo(keys.clock.now() + 32 * DAY);
  expect(await keys.list(owner)).toHaveLength(2);
  expect(await keys.outcome('POST', '/v1/user/keys?label=x', owner)).toBe('api_key_expired');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe('api_key_expired');
  expect(await keys.outcome('POST', '/v1/user/renew', owner)).toBe(200);
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
});

it('a recovered owner key is another one: the old ones are dead at once, the others live on', async () => {
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

it('an owner key is not recovered of a user who was erased, or whose keys the operator has revoked', async () => {
  const { users } = keys.service.parts;
  const [erased, revoked] = [await keys.userOf(owner), await keys.userOf(await keys.service.register())];
  await users.erase(byOperator(erased));
  await users.revoke(revoked);
  for (const key of [erased, revoked]) expect(await users.recover(key)).toBeUndefined();
});

it('a rotation by the operator replaces the owner key, and leaves keys with other scopes as they are', async () => {
  const { id, apiKey } = await keys.make(owner);
  const { apiKey: fresh } = await keys.service.parts.users.rotate(byOperator(await keys.userOf(owner)), 0);
  expect(await keys.outcome('GET', PRICED, owner)).toBe('api_key_revoked');
  expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
  expect(await keys.list(fresh)).toMatchObject([{ replacedAt: null }, { id, replacedAt: null }]);
});

it('an erased user gets no key and no term from the operator', async () => {
  const { users } = keys.service.parts;
  const user = byOperator(await keys.userOf(owner));
  await users.erase(user);
  for (const change of [users.rotate, users.renew, users.erase])
    await expect(change(user)).rejects.toMatchObject({ code: 'api_key_revoked' });
  const keysOfUser = { where: { userKey: user.userKey, revokedAt: null } };
  expect(await keys.service.database.prisma.apiKey.count(keysOfUser)).toBe(0);
});
