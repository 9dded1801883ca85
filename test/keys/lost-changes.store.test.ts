import { afterEach, beforeEach, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { type Keys, openKeys } from './keys-harness.ts';

/* After a failover to a lagging replica, the newest changes disappear from the database. */

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';

let keys: Keys;
let poll: () => Promise<void>;
let owner: string;
let user: number;
beforeEach(async () => {
  keys = await openKeys(Date.UTC(2026, 4, 10, 12));
  poll = keys.service.parts.allowance.poll;
  owner = await keys.service.register();
  user = await keys.userOf(owner);
});
afterEach(() => keys?.service.close());

const changedAt = async () => {
  const [row] = await keys.service.database.prisma.$queryRaw<[{ at: string }]>`
    SELECT changed_at::text AS at FROM "user" WHERE key = ${user}`;
  return row.at;
};

/** The paths in the request log of a key's user. */
async function requestsOf(key: string): Promise<string[]> {
  const response = await keys.service.get('/v1/user/requests', { key });
  return ((await response.json()) as { requests: { path: string }[] }).requests.map(({ path }) => path);
}

/** The keys in the log lines about lost changes. */
const logged = () =>
  keys.service.logLines
    .map((line) => JSON.parse(line) as { msg: string; keys: unknown })
    .filter(({ msg }) => msg === 'database lost changes')
    .map(({ keys }) => keys);

it('a key whose revocation is lost is valid again, and logged once', async () => {
  const { service, outcome, make } = keys;
  const { prisma } = service.database;
  const page = await make(owner);
  const other = await make(owner);
  const before = await changedAt();
  await outcome('DELETE', `/v1/user/keys/${page.id}`, owner);
  expect(await outcome('GET', LATEST, page.apiKey)).toBe('api_key_revoked');
  expect(await outcome('GET', LATEST, other.apiKey)).toBe(200);
  await poll();
  expect(logged()).toEqual([]);

  await prisma.$transaction([
    prisma.$executeRaw`UPDATE api_key SET revoked_at = NULL`,
    prisma.$executeRaw`UPDATE "user" SET changed_at = ${before}::timestamptz`,
  ]);
  await poll();
  await poll();
  expect(await outcome('GET', LATEST, page.apiKey)).toBe(200);
  expect(logged()).toEqual([[{ user, id: page.id }]]);
});

it('the key of a lost user is unknown, also if its record number is that of a new user', async () => {
  const { clock, service, outcome, userOf } = keys;
  const { prisma } = service.database;
  const late = await service.register();
  const lost = await userOf(late);
  // Successful requests are recorded after the log was read.
  expect(await requestsOf(late)).toEqual([]);
  expect(await outcome('GET', LATEST, late)).toBe(200);
  await service.parts.allowance.settle();
  await poll();
  expect(await requestsOf(late)).toContain(LATEST);

  await prisma.$transaction([
    prisma.$executeRaw`DELETE FROM api_key WHERE user_key = ${lost}`,
    prisma.$executeRaw`DELETE FROM lease WHERE user_key = ${lost}`,
    prisma.$executeRaw`DELETE FROM usage WHERE user_key = ${lost}`,
    prisma.$executeRaw`DELETE FROM usage_detail WHERE user_key = ${lost}`,
    prisma.$executeRaw`DELETE FROM usage_day WHERE user_key = ${lost}`,
    prisma.$executeRaw`DELETE FROM "user" WHERE key = ${lost}`,
    prisma.$executeRaw`SELECT setval(pg_get_serial_sequence('"user"', 'key'), ${lost}, false)`,
  ]);
  clock.pass(1);
  const next = await service.register();
  expect(await userOf(next)).toBe(lost);

  await poll();
  expect(await outcome('GET', '/v1/user/data', late)).toBe('api_key_invalid');
  expect(await outcome('GET', LATEST, late)).toBe('api_key_invalid');
  expect(await userOf(owner)).toBe(user);
  expect(logged()).toEqual([[]]);
  expect(await requestsOf(next)).not.toContain(LATEST);
  // A settlement of the service may have collided with the transaction above and failed.
  clock.pass(2 * SECOND);
  expect(await outcome('GET', LATEST, next)).toBe(200);
});
