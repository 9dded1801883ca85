import { afterAll, beforeAll, expect, test } from 'vitest';
import { LATEST } from '../../support/service/chaos.ts';
import { type Service, startService } from '../../support/service/service.ts';

const [ONE, OTHER] = ['https://one.example.org', 'https://other.example.org'];
let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService({ settings: { CORS_ORIGINS: `${ONE},${OTHER}` } });
  key = await service.createUser();
});
afterAll(() => service?.close());

test.each([ONE, OTHER])('a response for %s names that origin, also as a 304', async (origin) => {
  const response = await service.get(LATEST, { key, headers: { origin } });
  const etag = response.headers.get('etag') ?? '';
  const again = await service.get(LATEST, { key, headers: { origin, 'if-none-match': etag } });
  expect([response.status, again.status]).toEqual([200, 304]);
  for (const { headers } of [response, again]) {
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Origin');
  }
});

test('a response without an origin varies by origin, on both response paths', async () => {
  for (let time = 0; time < 3; time++) {
    const { headers } = await service.get(LATEST, { key });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Origin');
  }
});

test('exposes the currency of a response to other origins', async () => {
  const { headers } = await service.get(`${LATEST}&currency=btc`, { key, headers: { origin: ONE } });
  expect(headers.get('quotient-currency')).toMatch(/^btc;rate=/);
  expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('Quotient-Currency');
});

test('applies to the API description as well', async () => {
  const responses = [
    await service.get('/openapi.json', { headers: { origin: ONE } }),
    await service.get('/openapi.json'),
  ];
  for (const { headers } of responses) expect(headers.get('vary')).toBe('Origin, Accept-Encoding');
});
