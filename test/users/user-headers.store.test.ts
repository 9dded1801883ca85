import { type InnerList, type Item, parseDictionary, parseList } from 'structured-headers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { type HandClock, handClock } from '../ledger/allowance-harness.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';

const START = Date.UTC(2026, 0, 31, 12);
const FEBRUARY = Date.UTC(2026, 1, 28, 12);
const LIMIT = 12;

let clock: HandClock;
let service: Service;
let key: string;
beforeAll(async () => {
  clock = handClock(START);
  service = await startService({ clock, settings: { BURST_PER_SECOND: '0' } });
});
afterAll(() => service?.close());
beforeEach(async () => {
  clock.set(START - clock.now());
  key = await service.createUser({ limit: LIMIT });
});

/** The single item of a structured field, and its parameters. */
function only(field: string | null): [unknown, Record<string, unknown>] {
  const items = parseList(field ?? '') as (Item | InnerList)[];
  expect(items).toHaveLength(1);
  const [value, parameters] = items[0] as Item;
  return [value, Object.fromEntries(parameters)];
}

async function call(path = PRICED, headers: Record<string, string> = {}) {
  const response = await service.get(path, { key, headers });
  await response.text();
  return response;
}

it('a charged response contains the policy and the remaining calls, as structured fields', async () => {
  const { headers } = await call();
  const w = (FEBRUARY - START) / SECOND;
  expect(only(headers.get('ratelimit-policy'))).toEqual(['plan', { q: LIMIT, w }]);
  expect(only(headers.get('ratelimit'))).toEqual(['plan', { r: LIMIT - 1, t: w }]);
  clock.pass(1_500);
  expect(only((await call()).headers.get('ratelimit'))).toEqual(['plan', { r: LIMIT - 2, t: w - 1 }]);
  expect(() => parseDictionary(headers.get('ratelimit') ?? '')).toThrow();
});

it('each charged call deducts one, down to zero; free calls deduct none', async () => {
  const first = await call();
  const etag = first.headers.get('etag') ?? '';
  const left = (response: Response) => only(response.headers.get('ratelimit'))[1].r;
  expect(left(first)).toBe(LIMIT - 1);

  // A settlement during a call excludes the call, so the next response counts it as returned.
  const givenBack = (path: string, headers = {}) =>
    expect.poll(async () => {
      const response = await call(path, headers);
      return [response.status, left(response)];
    });
  await givenBack(PRICED, { 'if-none-match': etag }).toEqual([304, LIMIT - 1]);
  await givenBack('/v1/prices/history/date?tokenName=solana&date=01-01-2015').toEqual([404, LIMIT - 1]);
  service.sandbox.faults.always({ kind: 'status', status: 500 });
  await givenBack('/v1/prices/history/date?tokenName=ethereum&date=15-01-2026').toEqual([503, LIMIT - 1]);
  service.sandbox.faults.clear();
  expect((await call('/v1/prices/latest/token')).status).toBe(400);
  expect((await call('/v1/user/usage')).headers.get('ratelimit')).toBeNull();

  for (let n = 2; n <= LIMIT; n++) expect(left(await call())).toBe(LIMIT - n);
  const spent = await call();
  expect(spent.status).toBe(429);
  const end = (FEBRUARY - START) / SECOND;
  expect(only(spent.headers.get('ratelimit'))).toEqual(['plan', { r: 0, t: end }]);
  expect(spent.headers.get('ratelimit-policy')).toBe(first.headers.get('ratelimit-policy'));
  const usage = (await (await service.get('/v1/user/usage', { key })).json()) as { used: number };
  expect(usage.used).toBe(LIMIT);
});

it('the reported remaining calls never exceed the actual ones, with any number of concurrent calls', async () => {
  const responses = await Promise.all(Array.from({ length: LIMIT }, () => call()));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const left = responses.map(({ headers }) => Number(only(headers.get('ratelimit'))[1].r));
  expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: LIMIT }, (_, n) => LIMIT - 1 - n));
});

it('calls beyond the allowance are rejected until the end of the period', async () => {
  for (let n = 0; n < LIMIT; n++) expect((await call()).status).toBe(200);
  clock.set(FEBRUARY - 90 * SECOND - clock.now());
  const refused = await call();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('90');
  expect(await refused.headers.get('cache-control')).toBe('no-store');
});
