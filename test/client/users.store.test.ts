import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuotientClient, QuotientError } from '#client/index';
import { type Service, startService } from '../support/service/service.ts';
import { failure } from './failure.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.org', plan: 'monthly' } as const;

let service: Service;
let anyone: QuotientClient;
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market', LOG_REQUESTS: 'all' } });
  anyone = new QuotientClient({ baseUrl: service.url, retries: 0 });
});
afterAll(() => service?.close());

/** A client with the key of a new user. */
const createdUser = async (...options: Parameters<Service['createUser']>) =>
  anyone.withKey(await service.createUser(...options));

it('registers, and continues with the key', async () => {
  const user = await anyone.createUser(ADA);
  if (user.apiKey === undefined) expect.fail('there is no key');
  expect(user).toMatchObject({ ...ADA, limit: 10_000, apiKey: expect.stringMatching(/^qt_/) });
  for (const date of [user.createdAt, user.validUntil, user.updatedAt]) expect(date).toBeInstanceOf(Date);
  expect(user.validUntil.getTime()).toBeGreaterThan(user.createdAt.getTime());
  expect(await anyone.withKey(user.apiKey).user()).toEqual(user);
});

it('returns the usage, with dates', async () => {
  const client = await createdUser({ limit: 100 });
  await client.latestPrice('bitcoin');
  const usage = await client.usage();
  expect(usage).toMatchObject({ limit: 100, used: 1, remaining: 99 });
  expect(usage.daily).toEqual([{ date: usage.periodStart.toISOString().slice(0, 10), calls: 1 }]);
  expect(usage.resetsAt.getTime()).toBeGreaterThan(usage.periodStart.getTime());
  expect(usage.validUntil).toBeInstanceOf(Date);
});

it('rotates: the new key has all permissions, and the old key only reads', async () => {
  const client = await createdUser();
  const before = await client.user();
  const user = await client.rotate({ graceSeconds: 60 });
  expect(user.key).toBe(before.key);
  expect(user.apiKey).not.toBe(before.apiKey);
  expect((await client.withKey(user.apiKey).user()).key).toBe(before.key);
  expect(await failure(client.rotate())).toMatchObject({ code: 'api_key_revoked', status: 401 });
});

describe('problems', () => {
  it('contain each invalid field, and the request ID', async () => {
    const error = await failure(anyone.createUser({ ...ADA, email: 'no-address', name: '' }));
    expect(error).toBeInstanceOf(QuotientError);
    expect(error).toMatchObject({ name: 'QuotientError', code: 'invalid_request', status: 400, gaps: [] });
    expect(error.errors.map(({ location }) => location).sort()).toEqual(['query.email', 'query.name']);
    expect(error.message).toBe(`invalid_request: ${error.detail}`);
    expect(error.requestId).toMatch(/^[\w.-]+$/);
    expect(service.logLines.some((line) => line.includes(String(error.requestId)))).toBe(true);
  });

  it('quota_exceeded, with the seconds until the end of the period', async () => {
    const client = await createdUser({ limit: 1 });
    await client.latestPrice('bitcoin');
    const error = await failure(client.latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'quota_exceeded', status: 429 });
    expect(error.retryAfter).toBeGreaterThan(0);
  });
});
