import { describe, expect, test } from 'vitest';
import { openEthereumStats } from '#statistics/sources/ethereum';
import type { StatisticsOptions } from '#statistics/sources/source';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import type { FakeResponse } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

function sampled(response: FakeResponse, apiKey?: string) {
  const open = (options: StatisticsOptions) => openEthereumStats({ ...options, name: 'ethereum-stats-2', apiKey });
  return sampleFrom(upstream, [open, 'eth', '/1/api/v2'], () => response);
}

describe('a key', () => {
  test('is not sent to a redirect’s target', async () => {
    const before = upstream.calls.length;
    const elsewhere: FakeResponse = { status: 302, headers: { location: 'http://other.example/elsewhere' }, body: '' };
    await expect(sampled(elsewhere, 'proapi_the-key')).rejects.toMatchObject({ reason: 'refused' });
    expect(upstream.calls.slice(before).map(({ path }) => path)).toEqual(['/1/api/v2/stats']);
  });

  test('is in no message, even if the service repeats it', async () => {
    const response: FakeResponse = { status: 403, body: '{"error":"no such key: proapi_the-key"}' };
    const failure = (await sampled(response, 'proapi_the-key').catch((error: unknown) => error)) as Error;
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
