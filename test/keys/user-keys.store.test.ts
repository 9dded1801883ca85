import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY, SECOND } from '#core/clock';
import { deleteExpired } from '#database/retention';
import { hashApiKey, MAX_DEAD_KEYS_PER_USER, MAX_KEYS_PER_USER, mintApiKey } from '#keys/api-key';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { byOperator } from '#users/authority';
import { type HandClock, handClock } from '../ledger/allowance-harness.ts';
import { OPERATOR } from '../support/operator.ts';
import { type Service, startService } from '../support/service/service.ts';

/* How many keys a user can have, and the limits that the keys share. */

const START = Date.UTC(2026, 0, 31, 12);
let clock: HandClock;
let service: Service;
let key: string;
beforeEach(async () => {
  clock = handClock(START);
  service = await startService({ clock, settings: { BURST_PER_SECOND: '4' } });
  key = await service.register();
});
afterEach(() => service?.close());

async function send(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/v1/user/${path}`, { method, headers });
  const { code, apiKey } = (await response.json()) as { code?: string; apiKey?: string };
  return { outcome: code ?? response.status, apiKey, retryAfter: response.headers.get('retry-after') };
}

/** Rotates slowly, so that the burst limit is not reached. */
async function rotate(apiKey: string, graceSeconds: number) {
  clock.pass(SECOND / 4 + 1);
  return send('POST', `rotate?graceSeconds=${graceSeconds}`, { 'x-api-key': apiKey });
}

const userKey = async () => (await service.parts.allowance.holderOf(key)).user.key;
// The last use of a key is written later.
const keys = () =>
  service.database.prisma.apiKey.findMany({ orderBy: { createdAt: 'asc' }, omit: { lastUsedAt: true } });
const live = async () =>
  (await keys()).filter(({ expiresAt, revokedAt }) => !revokedAt && (expiresAt?.getTime() ?? Infinity) > clock.now());

it('a user can have 20 keys, including those in a grace period, and one more when a grace period ends', async () => {
  let newest = key;
  for (let n = 1; n < MAX_KEYS_PER_USER; n++) newest = (await rotate(newest, n === 1 ? 60 : 3600)).apiKey ?? '';
  const before = await keys();
  expect((await rotate(newest, 3600)).outcome).toBe('too_many_keys');
  expect(await keys()).toEqual(before);
  expect((await send('GET', 'usage', { 'x-api-key': newest })).outcome).toBe(200);
  // A rotation without a grace period is always allowed. Otherwise, it is allowed when another key's grace period ends.
  const next = await rotate(newest, 0);
  expect(next.outcome).toBe(200);
  expect((await rotate(next.apiKey ?? '', 3600)).outcome).toBe('too_many_keys');
  clock.pass(60 * SECOND);
  await service.parts.allowance.poll();
  expect((await rotate(next.apiKey ?? '', 3600)).outcome).toBe(200);
  expect(await live()).toHaveLength(MAX_KEYS_PER_USER);
});

it('of concurrent rotations, as many succeed as the limit of keys allows', async () => {
  const user = await userKey();
  const tries = Array.from({ length: 30 }, () => service.parts.keys.rotate(byOperator(user, OPERATOR)));
  const outcomes = (await Promise.allSettled(tries)).map((one) =>
    one.status === 'fulfilled' ? 'rotated' : (one.reason as { code: string }).code,
  );
  expect(outcomes.toSorted()).toEqual([
    ...Array(MAX_KEYS_PER_USER - 1).fill('rotated'),
    ...Array(11).fill('too_many_keys'),
  ]);
  expect(await live()).toHaveLength(MAX_KEYS_PER_USER);
  expect((await keys()).filter(({ replacedAt }) => replacedAt === null)).toHaveLength(1);
});

it('the newest ended keys of a user are kept, and another process forgets those that were deleted', async () => {
  const elsewhere = createKeyCache({ store: createKeyHolderStore(service.database.prisma), clock });
  await elsewhere.sync();
  await elsewhere.holderOf(key);
  expect(elsewhere.holderAtOnce(key, clock.elapsed())?.replacedAt).toBeUndefined();
  let newest = key;
  for (let n = 0; n < MAX_DEAD_KEYS_PER_USER + 10; n++) newest = (await rotate(newest, 0)).apiKey ?? '';
  expect((await keys()).length).toBeLessThanOrEqual(MAX_DEAD_KEYS_PER_USER + 2);
  expect((await send('GET', 'usage', { 'x-api-key': newest })).outcome).toBe(200);
  expect((await send('GET', 'usage', { 'x-api-key': key })).outcome).toBe('api_key_invalid');
  await elsewhere.sync();
  expect(elsewhere.holderAtOnce(key, clock.elapsed())).toBeUndefined();
  await expect(elsewhere.holderOf(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
});

it('a key is deleted 30 days after it ended', async () => {
  const newest = (await rotate(key, 0)).apiKey ?? '';
  const hashes = async () => (await keys()).map(({ hash }) => Buffer.from(hash).toString('hex'));
  clock.pass(29 * DAY);
  await deleteExpired(service.database.prisma, clock.now());
  expect(await hashes()).toEqual([hashApiKey(key), hashApiKey(newest)]);
  clock.pass(2 * DAY);
  await deleteExpired(service.database.prisma, clock.now());
  expect(await hashes()).toEqual([hashApiKey(newest)]);
});

it('all keys of a user share the burst limit', async () => {
  const newest = (await rotate(key, 3600)).apiKey ?? '';
  clock.pass(SECOND);
  const received = [];
  for (const apiKey of [key, newest, key, newest, key, newest]) {
    received.push((await send('GET', 'usage', { 'x-api-key': apiKey })).outcome);
  }
  expect(received).toEqual([200, 200, 200, 200, 'rate_limited', 'rate_limited']);
});

it('key look-ups are limited per second: by user for a known key, otherwise by address', async () => {
  const data = (apiKey: string) => send('GET', `data?api=${apiKey}`);
  const times = async (count: number, apiKey: () => string) => {
    const received = [];
    for (let n = 0; n < count; n++) received.push(await data(apiKey()));
    return received.map(({ outcome }) => outcome);
  };
  const other = await service.createUser();
  await send('GET', 'usage', { 'x-api-key': other });
  const [invalid, limited] = ['api_key_invalid', 'rate_limited'];
  expect(await times(5, mintApiKey)).toEqual([invalid, invalid, invalid, invalid, limited]);
  expect(await times(2, () => 'malformed')).toEqual([limited, limited]);
  // A key that this process has cached is not looked up.
  expect(await times(4, () => other)).toEqual([200, 200, 200, limited]);
  expect((await data(other)).retryAfter).toBe('1');
  clock.pass(SECOND);
  expect(await times(1, mintApiKey)).toEqual([invalid]);
});
