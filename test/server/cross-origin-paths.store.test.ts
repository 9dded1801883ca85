import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { CORS_ORIGINS: '*' } });
});
afterAll(() => service?.close());

// Regression test: preflights are answered on any path, which once made every path count as known.
test('with other origins allowed, an unknown path is still unknown', async () => {
  expect((await service.get('/nowhere')).status).toBe(404);
});

test('with other origins allowed, a known path lists its own methods', async () => {
  const response = await fetch(`${service.url}/v1/prices/latest/token`, { method: 'DELETE' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
});

test('OPTIONS without the headers of a preflight has the same response as without other origins', async () => {
  const plain = await startService({});
  const listed = ['/v1/tokens', '/v1/user/keys/1', '/nowhere', '/', '/docs', '/mcp', '/health/live'];
  const outcome = async (on: Service, path: string, headers: Record<string, string>) => {
    const { status, headers: given } = await fetch(`${on.url}${path}`, { method: 'OPTIONS', headers });
    return [path, status, given.get('content-type'), given.get('allow')];
  };
  for (const path of listed) {
    const others: Record<string, string>[] = [
      { origin: 'https://app.example' },
      { 'access-control-request-method': 'GET' },
    ];
    for (const headers of [{}, ...others]) {
      const expected = await outcome(plain, path, headers);
      expect(expected[1]).toBeGreaterThanOrEqual(404);
      expect(await outcome(service, path, headers)).toEqual(expected);
    }
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    expect((await outcome(service, path, preflight))[1]).toBe(204);
  }
  await plain.close();
});
