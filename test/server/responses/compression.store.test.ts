import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import { bodyOf } from '#server/responses/response-body';
import { DAYS, type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../../support/service/chaos.ts';
import { exchange } from '../../support/service/socket.ts';

let service: FaultyUpstreamService;
beforeAll(async () => {
  service = await startWithFaultyUpstream();
});
afterAll(() => service?.close());

const YEAR = '/v1/prices/history/days?tokenName=ethereum&days=365';
const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** Sends a request without `fetch`, which would decode the body, and returns the received bytes. */
async function raw(path: string, coding: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    bytes: Buffer;
    headers: Record<string, string>;
  }>();
  request(`${service.url}${path}`, { headers: { 'x-api-key': service.key, 'accept-encoding': coding } })
    .on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ bytes: Buffer.concat(chunks), headers: response.headers as Record<string, string> });
    })
    .on('error', reject)
    .end();
  return promise;
}

describe.each(['br', 'gzip'] as const)('%s', (coding) => {
  test('decodes to the same bytes, and has a separate ETag and the right length', async () => {
    const plain = await raw(YEAR, 'identity');
    const coded = await raw(YEAR, coding);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(coded.headers['content-encoding']).toBe(coding);
    expect(coded.headers['content-length']).toBe(String(coded.bytes.length));
    expect(coded.headers['transfer-encoding']).toBeUndefined();
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decode[coding](coded.bytes).equals(plain.bytes)).toBe(true);
    expect(coded.headers.etag).not.toBe(plain.headers.etag);
  });

  test('is not used below 1 KB', async () => {
    const small = await raw(LATEST, coding);
    expect(small.bytes.length).toBeLessThan(1024);
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(small.bytes.toString()).current_price).toBeGreaterThan(0);
  });

  test('is never used for a user record, a problem or the number of calls', async () => {
    for (const path of ['/v1/user/data', '/v1/user/usage', '/v1/prices/latest/token?tokenName=x']) {
      expect((await raw(path, coding)).headers['content-encoding']).toBeUndefined();
    }
    const { hostname, port } = new URL(service.url);
    const created = await exchange(
      service.url,
      `POST /v1/user/create?name=${'A'.repeat(100)}&email=ada@example.org&plan=monthly HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept-encoding: ${coding}\r\n\r\n`,
    );
    expect(created.status).toBe(201);
    expect(created.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(created.body).apiKey).toMatch(/^qt_/);
  });
});

describe('a body', () => {
  const text = 'a price, and another price; '.repeat(100);

  test('is compressed once for all concurrent requests, and never again', async () => {
    const body = bodyOf(text);
    const bodies = await Promise.all(Array.from({ length: 50 }, () => body.in('br')));
    expect(new Set(bodies).size).toBe(1);
    expect(await body.in('br')).toBe(bodies[0]);
    expect(await body.in('gzip')).not.toBe(bodies[0]);
  });
});

test('a window is compressed once per version of its series, for all clients', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => service.parts.market.days('ethereum', 365, 'json')),
  );
  const forms = await Promise.all(responses.map(({ body }) => body.in('br')));
  expect(new Set(forms).size).toBe(1);
  await service.pass(2000); // the cached responses of the last second have expired
  const later = await service.parts.market.days('ethereum', 365, 'json');
  expect(later.body.in('br')).toBe(forms[0]);

  await service.pass(7 * MINUTE);
  await service.parts.market.days('ethereum', 365, 'json');
  await service.parts.market.idle();
  const renewed = await service.parts.market.days('ethereum', 365, 'json');
  expect(await renewed.body.in('br')).not.toBe(forms[0]);
});

test('CSV is compressed as well', async () => {
  const response = await service.ask(DAYS, { accept: 'text/csv', 'accept-encoding': 'br' });
  expect(response.header('content-encoding')).toBe('br');
  expect(response.body).toMatch(/^date,price,market_cap,total_volume\r\n/);
});
