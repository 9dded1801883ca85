import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { startService } from '../../support/service/service.ts';

let service: MailingService;
beforeAll(async () => {
  service = await startMailingService();
});
afterAll(() => service.close());

type JsonResponse = { status: number; body: Record<string, unknown>; headers: Headers };
async function call(method: 'GET' | 'PUT', key: string, body?: unknown, at = service.url): Promise<JsonResponse> {
  const response = await fetch(`${at}/v1/user/notices`, {
    method,
    headers: { 'x-api-key': key },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as JsonResponse['body'],
  };
}
const URL = 'https://example.org/hook';
const all = { email: true, webhookUrl: URL, thresholds: [80, 100] };

describe('the notice settings of a user', () => {
  test('have default values until they are set', async () => {
    const response = await call('GET', await service.register());
    expect([response.status, response.body]).toEqual([200, { email: false, webhookUrl: null, thresholds: [80, 100] }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('are returned as they were set, with sorted, unique thresholds', async () => {
    const key = await service.register();
    const set = { email: true, webhookUrl: null, thresholds: [100, 5, 50, 5] };
    const received = { ...set, thresholds: [5, 50, 100] };
    expect((await call('PUT', key, set)).body).toEqual(received);
    expect((await call('GET', key)).body).toEqual(received);
    expect((await call('PUT', key, { ...set, thresholds: [] })).body).toEqual({ ...set, thresholds: [] });
  });

  test('have a secret that is returned once, when the address is new or changed or the secret is rotated', async () => {
    const key = await service.register();
    const first = await call('PUT', key, all);
    expect(first.body.webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await call('GET', key)).body).toEqual(all);
    expect((await call('PUT', key, { ...all, email: false })).body).not.toHaveProperty('webhookSecret');
    const changed = await call('PUT', key, { ...all, webhookUrl: `${URL}/2` });
    const rotated = await call('PUT', key, { ...all, webhookUrl: `${URL}/2`, rotateSecret: true });
    expect((await call('PUT', key, { ...all, webhookUrl: null })).body).not.toHaveProperty('webhookSecret');
    const again = await call('PUT', key, { ...all, webhookUrl: `${URL}/2` });
    const secrets = [first, changed, rotated, again].map(({ body }) => body.webhookSecret);
    expect(new Set(secrets).size).toBe(4);
    expect(secrets).not.toContain(undefined);
  });

  test('have one secret after two concurrent requests set the same address', async () => {
    const key = await service.register();
    const responses = await Promise.all([1, 2, 3, 4].map(() => call('PUT', key, all)));
    expect(responses.filter(({ body }) => 'webhookSecret' in body)).toHaveLength(1);
  });

  test.each([
    [{}, ['body.email', 'body.webhookUrl', 'body.thresholds']],
    ['[]', ['body']],
    ['{', ['body']],
    [undefined, ['body']],
    [{ ...all, email: 'yes' }, ['body.email']],
    [{ ...all, thresholds: [0] }, ['body.thresholds']],
    [{ ...all, thresholds: [101] }, ['body.thresholds']],
    [{ ...all, thresholds: [80.5] }, ['body.thresholds']],
    [{ ...all, thresholds: ['80'] }, ['body.thresholds']],
    [{ ...all, thresholds: 80 }, ['body.thresholds']],
    [{ ...all, thresholds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, ['body.thresholds']],
    [{ ...all, webhookUrl: 7 }, ['body.webhookUrl']],
    [{ ...all, webhookUrl: 'http://169.254.169.254/latest' }, ['body.webhookUrl']],
    [{ ...all, webhookUrl: 'https://[::ffff:127.0.0.1]/' }, ['body.webhookUrl']],
    [{ ...all, webhookUrl: `${URL}\0` }, ['body.webhookUrl']],
    [{ ...all, rotateSecret: 1 }, ['body.rotateSecret']],
  ])('reject %j and name the fault', async (body, locations) => {
    const { status, body: problem } = await call('PUT', await service.register(), body);
    const faults = problem.errors as { location: string; fix: string; message: string }[];
    expect([status, problem.code, faults.map(({ location }) => location)]).toEqual([400, 'invalid_request', locations]);
    for (const { fix, message } of faults) {
      expect(fix).toMatch(/^(use|send) /);
      expect(message).not.toMatch(/undefined|expected|Invalid/);
    }
  });

  test.each(['https://10.0.0.7/hook', 'https://localhost/hook', 'http://example.org/hook'])(
    'reject %s, and name the setting that allows the address',
    async (webhookUrl) => {
      const { status, body } = await call('PUT', await service.register(), { ...all, webhookUrl });
      const [fault] = body.errors as { location: string; fix: string }[];
      expect([status, fault?.location]).toEqual([400, 'body.webhookUrl']);
      expect(fault?.fix).toContain('WEBHOOK_ALLOW');
    },
  );

  test('cannot be accessed with a key without the scope account', async () => {
    const owner = await service.register();
    const query = new URLSearchParams({ label: 'page', scopes: 'prices,node' });
    const headers = { 'x-api-key': owner };
    const made = await fetch(`${service.url}/v1/user/keys?${query}`, { method: 'POST', headers });
    const { apiKey } = (await made.json()) as { apiKey: string };
    for (const method of ['GET', 'PUT'] as const) {
      const { status, body } = await call(method, apiKey, method === 'PUT' ? all : undefined);
      expect([status, body.code]).toEqual([403, 'scope_missing']);
    }
  });

  test('can be read but not set with a replaced key', async () => {
    const key = await service.register();
    await fetch(`${service.url}/v1/user/rotate`, { method: 'POST', headers: { 'x-api-key': key } });
    expect((await call('GET', key)).status).toBe(200);
    expect((await call('PUT', key, all)).body.code).toBe('api_key_revoked');
  });

  test('are deleted with the user', async () => {
    const key = await service.register();
    await call('PUT', key, all);
    const before = await service.database.prisma.noticeSettings.count();
    await fetch(`${service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
    expect(await service.database.prisma.noticeSettings.count()).toBe(before - 1);
    expect((await call('GET', key)).status).toBe(401);
  });

  test('are not available if no mail server is configured', async () => {
    const plain = await startService();
    const key = await plain.register();
    for (const method of ['GET', 'PUT'] as const) {
      const { status, body } = await call(method, key, method === 'PUT' ? all : undefined, plain.url);
      expect([status, body.code]).toEqual([503, 'mail_not_configured']);
    }
    await plain.close();
  });
});
