import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEthereumStats } from '#statistics/sources/ethereum';
import type { StatisticsOptions } from '#statistics/sources/source';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { type Reply, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

const FINE: Reply = { body: JSON.stringify({ total_addresses: '5', items: [] }) };

async function sampled(reply: Reply, apiKey?: string) {
  upstream.follow(() => reply);
  const open = (options: StatisticsOptions) => openEthereumStats({ ...options, name: 'ethereum-stats-2', apiKey });
  const source = openTestStatistics(open, `${upstream.url}/1/api/v2`);
  try {
    return await source.sample('eth');
  } finally {
    await source.close();
  }
}

describe('a key', () => {
  test('is sent in the header of each call, and not otherwise', async () => {
    const before = upstream.calls.length;
    await sampled(FINE, 'proapi_the-key');
    const calls = upstream.calls.slice(before);
    expect(calls.map(({ path }) => path)).toEqual(['/1/api/v2/stats', '/1/api/v2/blocks']);
    for (const { headers, query } of calls) {
      expect(headers.authorization).toBe('Bearer proapi_the-key');
      expect(JSON.stringify(query)).not.toContain('the-key');
    }
  });

  test('that is not set sends no header', async () => {
    await sampled(FINE);
    expect(upstream.calls.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  test('is not sent to a redirect’s target', async () => {
    const before = upstream.calls.length;
    const elsewhere: Reply = { status: 302, headers: { location: `${upstream.url}/elsewhere` }, body: '' };
    await expect(sampled(elsewhere, 'proapi_the-key')).rejects.toMatchObject({ reason: 'refused' });
    expect(upstream.calls.slice(before).map(({ path }) => path)).toEqual(['/1/api/v2/stats']);
  });

  test('is in no message, even if the service repeats it', async () => {
    const reply: Reply = { status: 403, body: '{"error":"no such key: proapi_the-key"}' };
    const failure = (await sampled(reply, 'proapi_the-key').catch((error: unknown) => error)) as Error;
    expect(failure.message).toContain('no such key: (the key)');
  });
});

describe.each([401, 402])('a %d', (status) => {
  test.each([
    ['without a key reports that a key is required', undefined, /: an API key is required$/],
    ['with a key reports what may be wrong with it', 'proapi_x', /: the API key .*\bcredits\b/],
  ])('%s', async (_what, apiKey, message) => {
    const before = upstream.calls.length;
    await expect(sampled({ status, body: '{"message":"no"}' }, apiKey)).rejects.toMatchObject({
      upstream: 'ethereum-stats-2',
      reason: 'refused',
      message: expect.stringMatching(message),
    });
    expect(upstream.calls.length).toBe(before + 1);
  });
});
