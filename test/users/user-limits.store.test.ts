import { afterEach, describe, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { handClock } from '../ledger/allowance-harness.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';

const START = Date.UTC(2026, 0, 31, 12);
const CREATE = '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly';
const USAGE = '/v1/user/usage';

let service: Service | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(settings: Record<string, string>) {
  const clock = handClock(START);
  service = await startService({ clock, settings });
  return { clock, service };
}

async function register(on: Service, headers: Record<string, string> = {}, path = CREATE) {
  const response = await fetch(`${on.url}${path}`, { method: 'POST', headers });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
}

async function statuses(on: Service, path: string, key: string, times: number) {
  const responses: number[] = [];
  for (let n = 0; n < times; n++) responses.push((await on.get(path, { key })).status);
  return responses;
}

describe('the burst limit', () => {
  it('limits the requests of a key per second, including free ones, without affecting other keys', async () => {
    const { service: on, clock } = await start({ BURST_PER_SECOND: '3' });
    const [key, other] = [await on.createUser(), await on.createUser()];
    expect(await statuses(on, PRICED, key, 2)).toEqual([200, 200]);
    expect(await statuses(on, USAGE, key, 1)).toEqual([200]);
    // Polling for changes resets no limit.
    await on.parts.allowance.poll();
    const refused = await on.get(USAGE, { key });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    expect(refused.headers.get('ratelimit')).toBe('"burst";r=0;t=1');
    expect(refused.headers.get('ratelimit-policy')).toMatch(/^"plan";q=\d+;w=\d+, "burst";q=3;w=1$/);
    expect(await statuses(on, PRICED, other, 3)).toEqual([200, 200, 200]);
    clock.pass(SECOND / 3 + 1);
    expect(await statuses(on, USAGE, key, 2)).toEqual([200, 429]);
    clock.pass(SECOND);
    expect(await statuses(on, USAGE, key, 4)).toEqual([200, 200, 200, 429]);
  });

  it('is disabled by 0', async () => {
    const { service: on } = await start({ BURST_PER_SECOND: '0' });
    const key = await on.createUser();
    expect(new Set(await statuses(on, USAGE, key, 120))).toEqual(new Set([200]));
  });
});

describe('the registration limit', () => {
  it('limits a client to the configured number of registrations a minute, whatever X-Forwarded-For it sends', async () => {
    const { service: on, clock } = await start({ REGISTRATIONS_PER_MINUTE: '2' });
    for (const forwarded of ['1.1.1.1', '2.2.2.2']) {
      expect(await register(on, { 'x-forwarded-for': forwarded })).toMatchObject({ status: 201 });
    }
    const refused = await register(on, { 'x-forwarded-for': '3.3.3.3' });
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(60);
    clock.pass(29 * SECOND);
    expect(await register(on)).toMatchObject({ status: 429 });
    clock.pass(SECOND + 1);
    expect(await register(on)).toMatchObject({ status: 201 });
    expect(await register(on)).toMatchObject({ status: 429 });
  });

  it('counts by the address that a trusted proxy reports, and by /64 for IPv6, and ignores addresses from the client', async () => {
    const { service: on } = await start({ REGISTRATIONS_PER_MINUTE: '1', TRUST_PROXY: '1' });
    const from = async (forwarded: string) => (await register(on, { 'x-forwarded-for': forwarded })).status;
    expect(await from('1.1.1.1')).toBe(201);
    expect(await from('9.9.9.9, 1.1.1.1')).toBe(429);
    expect(await from('2.2.2.2')).toBe(201);
    expect(await from('2001:db8:1:2:3::1')).toBe(201);
    expect(await from('2001:db8:1:2:ffff::1')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(201);
  });

  it('is disabled by 0', async () => {
    const { service: on } = await start({ REGISTRATIONS_PER_MINUTE: '0' });
    for (let n = 0; n < 40; n++) expect((await register(on)).status).toBe(201);
  });

  it.each([
    ['X-Forwarded-For', ['203.0.113.7:50001', '203.0.113.7:50002', '::ffff:203.0.113.7', '"203.0.113.7:1"']],
    [
      'X-Forwarded-For',
      ['[2001:db8::1]:50001', '[2001:db8::1]:50002', '2001:DB8::1', '2001:db8::1%eth0', '[2001:db8::2]'],
    ],
    ['X-Forwarded-For', ['unknown', '_hidden', 'garbage', '203.0.113.7, unknown', '256.1.1.1', ',', '']],
    ['Forwarded', ['for=203.0.113.7', 'for="203.0.113.7:50001";proto=https', 'for=x, FOR="[::ffff:203.0.113.7]:_a"']],
    [
      'Forwarded',
      ['for=unknown', 'for="_hidden"', 'by=203.0.113.9', 'for="203.0.113.7', 'for=1.1.1.1;x=", for=2.2.2.2', '='],
    ],
  ])('counts all forms of an address in %s as one client: %s', async (header, forms) => {
    const { service: on } = await start({ REGISTRATIONS_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.0/8' });
    const responses: number[] = [];
    for (const form of forms) responses.push((await register(on, { [header]: form })).status);
    expect(responses).toEqual([201, ...Array(forms.length - 1).fill(429)]);
    expect(await register(on, { [header]: header === 'Forwarded' ? 'for=192.0.2.1' : '192.0.2.1' })).toMatchObject({
      status: 201,
    });
  });

  it('does not follow Forwarded and X-Forwarded-For if they name different clients', async () => {
    const { service: on } = await start({ REGISTRATIONS_PER_MINUTE: '1', TRUST_PROXY: '1' });
    const from = async (address: string, forged: string) =>
      (await register(on, { 'x-forwarded-for': address, forwarded: `for=${forged}` })).status;
    expect(await from('203.0.113.7', '203.0.113.7:443')).toBe(201);
    expect(await from('203.0.113.7', '203.0.113.7')).toBe(429);
    // From here on, the clients count as the proxy.
    expect(await from('203.0.113.7', '192.0.2.1')).toBe(201);
    expect(await from('203.0.113.7', '192.0.2.2')).toBe(429);
    expect(await from('192.0.2.3', '203.0.113.7')).toBe(429);
  });
});

describe('registration', () => {
  const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example.org' };

  it('is rejected for every user while registration is closed', async () => {
    const { service: on } = await start({ REGISTRATION: 'closed' });
    expect(await register(on)).toMatchObject({ status: 403, code: 'registration_closed' });
  });

  it('is rejected for a page from another site', async () => {
    const { service: on } = await start({});
    expect(await register(on, crossSite)).toMatchObject({ status: 403, code: 'cross_site' });
    expect(await register(on, { 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 201 });
    expect(await register(on, { 'sec-fetch-site': 'none' })).toMatchObject({ status: 201 });
  });

  it.each([
    ['https://app.example.org', 'https://app.example.org', 201],
    ['https://app.example.org', 'https://evil.example.org', 403],
    ['*', 'https://evil.example.org', 201],
  ])('with CORS_ORIGINS=%s from a page of %s responds with %i', async (CORS_ORIGINS, origin, status) => {
    const { service: on } = await start({ CORS_ORIGINS });
    expect((await register(on, { ...crossSite, origin })).status).toBe(status);
  });
});

describe('the order of checks', () => {
  it('is secrets, path and method, key, burst limit, parameters, allowance', async () => {
    const { service: on } = await start({ BURST_PER_SECOND: '1' });
    const spent = await on.createUser({ limit: 0 });
    const code = async (method: string, path: string, key?: string) => {
      const headers: Record<string, string> = key ? { 'x-api-key': key } : {};
      const response = await fetch(`${on.url}${path}`, { method, headers });
      return ((await response.json()) as { code: string }).code;
    };
    const wrong = '/v1/prices/latest/token?tokenName=gold';
    expect(await code('GET', '/nowhere?mnemonic=a')).toBe('secret_in_request');
    expect(await code('POST', `${wrong}&mnemonic=a`)).toBe('secret_in_request');
    expect(await code('GET', '/v1/nowhere')).toBe('not_found');
    expect(await code('POST', wrong)).toBe('method_not_allowed');
    expect(await code('GET', wrong)).toBe('api_key_missing');
    expect(await code('GET', wrong, spent)).toBe('invalid_request');
    expect(await code('GET', wrong, spent)).toBe('rate_limited');
    const another = await on.createUser({ limit: 0 });
    expect(await code('GET', PRICED, another)).toBe('quota_exceeded');
  });
});
