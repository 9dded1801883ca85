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
