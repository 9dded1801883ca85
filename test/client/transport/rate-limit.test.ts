import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuotientClient, QuotientError } from '#client/index';
import { createRetries } from '#client/transport/retries';
import type { Problem } from '#core/problems';
import { createBurst } from '#gate/limits';
import { amount } from '../../support/long.ts';

/* Many concurrent calls against the burst limit of the service, with fake timers. */

const TIMEOUT = 30_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client of a service with a burst limit, and the numbers of accepted and rejected requests. */
function limited(perSecond: number) {
  const burst = createBurst<string>(perSecond);
  const seen = { accepted: 0, rejected: 0 };
  const fetch = async (): Promise<Response> => {
    try {
      burst.admitOrThrow('user', Date.now());
    } catch (error) {
      seen.rejected += 1;
      const { code, headers } = error as Problem;
      const type = { 'content-type': 'application/problem+json' };
      return new Response(JSON.stringify({ code }), { status: 429, headers: { ...headers, ...type } });
    }
    seen.accepted += 1;
    return Response.json({ status: 'ok', warnings: [], ath_date: null, atl_date: null, id: 1 }, { status: 200 });
  };
  return { seen, client: new QuotientClient({ baseUrl: 'http://service.example', fetch, timeout: TIMEOUT }) };
}

type Failed = { error: QuotientError; at: number };

/** Starts calls at the same time. Returns the failed calls with the times of their failures. */
async function failedOf(calls: number, call: () => Promise<unknown>): Promise<Failed[]> {
  const failed: Failed[] = [];
  const start = Date.now();
  const all = Array.from({ length: calls }, () =>
    call().catch((error: QuotientError) => void failed.push({ error, at: Date.now() - start })),
  );
  await vi.advanceTimersByTimeAsync(TIMEOUT + 1_000);
  await Promise.all(all);
  return failed;
}

it('none of 300 calls fails with a burst limit of 50, with a few requests for each', async () => {
  const { seen, client } = limited(50);
  expect(await failedOf(300, () => client.latestPrice('bitcoin'))).toEqual([]);
  expect(seen.accepted).toBe(300);
  expect(seen.rejected).toBeLessThan(300 * 4);
  expect(vi.getTimerCount()).toBe(0);
});

it('no call fails while it has time left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 250 }), async (perSecond, calls) => {
      const { client } = limited(perSecond);
      const failed = await failedOf(calls, () => client.latestPrice('bitcoin'));
      for (const { error, at } of failed) {
        expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
        expect(at + Number(error.retryAfter) * 1000).toBeGreaterThanOrEqual(TIMEOUT);
      }
      // Two thirds of the number that the limit accepts in that time.
      if (calls <= perSecond * 20) expect(failed).toEqual([]);
    }),
    { numRuns: amount(5, 50) },
  );
});

it('retries POST requests too, which were rejected before their execution', async () => {
  const { seen, client } = limited(5);
  const failed = await failedOf(20, () => client.deleteKey(7));
  expect(failed).toEqual([]);
  expect(seen.accepted).toBe(20);
});

it('retries after the rate limit of a proxy, any number of times', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return requests <= 5 ? new Response('busy', { status: 429 }) : Response.json({ status: 'ok', warnings: [] });
  };
  const client = new QuotientClient({ baseUrl: 'http://service.example', fetch });
  expect(await failedOf(1, () => client.health({ retries: 1 }))).toEqual([]);
  expect(requests).toBe(6);
});

it('leaves half of the time after Retry-After for the response', () => {
  const { pauseAfter } = createRetries('GET', 2, () => 1);
  const error = new QuotientError('rate_limited', '', { status: 429, retryAfter: 1 });
  expect(pauseAfter(error, 1_100)).toBe(1_050);
  expect(pauseAfter(error, 1_000)).toBeUndefined();
});
