import { describe, expect, test } from 'vitest';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { requestFrom, type TestSource } from '../../support/upstream/source.ts';
import type { Script } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

const withSource = <T>(script: Script, use: (source: TestSource) => Promise<T>) =>
  requestFrom(upstream, script, use, { plan: 'pro', apiKey: 'CG-secret' });
const reachDays = (source: TestSource) => source.history.day;

describe('a key', () => {
  const KEY = {
    plan: 'Analyst',
    rate_limit_request_per_minute: 500,
    monthly_call_credit: 500_000,
    current_total_monthly_calls: 104,
    current_remaining_monthly_calls: 499_896,
  };
  const received = (body: object) =>
    withSource(
      () => ({ body: JSON.stringify(body) }),
      (source) => source.key(),
    );

  test('reports its plan and its remaining calls', async () => {
    expect(await received(KEY)).toEqual({ plan: 'Analyst', perMinute: 500, perMonth: 500_000, left: 499_896 });
    expect(upstream.calls.at(-1)).toMatchObject({
      path: '/key',
      headers: { 'x-cg-pro-api-key': 'CG-secret' },
    });
  });

  test('has the limits of its account if they are smaller', async () => {
    const own = {
      api_key_rate_limit_request_per_minute: 50,
      api_key_monthly_call_credit: 1000,
      api_key_current_total_monthly_calls: 900,
    };
    expect(await received({ ...KEY, ...own })).toEqual({
      plan: 'Analyst',
      perMinute: 50,
      perMonth: 1000,
      left: 100,
    });
    const spent = { current_total_monthly_calls: 600_000 };
    expect(await received({ ...KEY, ...own, ...spent })).toMatchObject({ left: 0 });
  });

  test('is rejected without a plan or with an invalid budget', async () => {
    await expect(received({ ...KEY, plan: undefined })).rejects.toMatchObject({ reason: 'unexpected' });
    await expect(received({ ...KEY, monthly_call_credit: -1 })).rejects.toMatchObject({ reason: 'unexpected' });
    const error = { status: { error_code: 10005, error_message: 'CG-secret is not a paid key' } };
    const refused = withSource(
      () => ({ status: 401, body: JSON.stringify(error) }),
      (source) => source.key(),
    );
    await expect(refused).rejects.toMatchObject({
      reason: 'refused',
      message: expect.not.stringContaining('CG-secret'),
    });
  });

  test.runIf(haveRecordings)('is parsed in the documented format', async () => {
    const { body } = recording('coingecko', 'docs_example_key_2026.json');
    expect(await received(JSON.parse(String(body)))).toEqual({
      plan: 'Other',
      perMinute: 1000,
      perMonth: 1_000_000,
      left: 999_968,
    });
  });
});

describe('a rejection of a window that starts too early', () => {
  const respondWith =
    (text: string): Script =>
    () => ({ status: 401, body: text });
  const nameless = '{"error":{"status":{"error_code":10012,"error_message":"too far"}}}';

  test.runIf(haveRecordings)('is recognised in its recorded form', async () => {
    const recorded = recording('coingecko', 'err_401_10012_time_range_2024-04-20.json', 401);
    await withSource(
      () => recorded,
      async (source) => {
        await expect(source.daily('bitcoin', 'max')).rejects.toMatchObject({ reason: 'out_of_reach' });
        expect(reachDays(source)).toBe(365);
      },
    );
  });

  test('does not open the circuit breaker, however often it occurs', async () => {
    await withSource(respondWith(nameless), async (source) => {
      for (let i = 0; i < 10; i++) await expect(source.daily('bitcoin', 'max')).rejects.toThrow('too far');
      expect(source.outcomes).toEqual(Array(10).fill('out_of_reach'));
    });
  });
});
