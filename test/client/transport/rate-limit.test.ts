import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBurst } from '#accounts/gate/limits';
import { QuotientClient, QuotientError } from '#client/index';
import { createRetries } from '#client/transport/retries';
import type { Problem } from '#core/problems';

/* Many calls at once against the service's own burst limit, on a clock that only timers advance. */

const TIMEOUT = 30_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A service with a burst limit: how many requests it let pass, and how many it refused. */
function limited(perSecond: number) {
  const burst = createBurst<string>(perSecond);
  const seen = { passed: 0, refused: 0 };
  const fetch = async (): Promise<Response> => {
    try {
      burst.admitOrThrow('user', Date.now());
    } catch (error) {
      seen.refused += 1;
      const { code, headers } = error as Problem;
      const type = { 'content-type': 'application/problem+json' };
      return new Response(JSON.stringify({ code }), { status: 429, headers: { ...headers, ...type } });
    }
    seen.passed += 1;
    return Response.json({ status: 'ok', warnings: [], ath_date: null, atl_date: null, id: 1 }, { status: 200 });
  };
  return { seen, client: new QuotientClient({ baseUrl: 'http://service.example', fetch, timeout: TIMEOUT }) };
}

type Failed = { error: QuotientError; at: number };

/** Makes calls at once; gives what failed, and when. */
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

it('lets none of 300 calls fail against a burst of 50, with a few requests for each', async () => {
  const { seen, client } = limited(50);
  expect(await failedOf(300, () => client.latestPrice('bitcoin'))).toEqual([]);
  expect(seen.passed).toBe(300);
  expect(seen.refused).toBeLessThan(300 * 4);
  expect(vi.getTimerCount()).toBe(0);
});

it('lets no call fail that has time left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 250 }), async (perSecond, calls) => {
      const { client } = limited(perSecond);
      const failed = await failedOf(calls, () => client.latestPrice('bitcoin'));
      for (const { error, at } of failed) {
        expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
        expect(at + Number(error.retryAfter) * 1000).toBeGreaterThanOrEqual(TIMEOUT);
      }
      // Two thirds of what the limit lets pass in that time.
      if (calls <= perSecond * 20) expect(failed).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

it('waits also with what changes something: such a request was refused before anything was done', async () => {
  const { seen, client } = limited(5);
  const failed = await failedOf(20, () => client.deleteKey(7));
  expect(failed).toEqual([]);
  expect(seen.passed).toBe(20);
});

it('waits also for a limit that is not the service’s, however often it refuses', async () => {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    return asked <= 5 ? new Response('busy', { status: 429 }) : Response.json({ status: 'ok', warnings: [] });
  };
  const client = new QuotientClient({ baseUrl: 'http://service.example', fetch });
  expect(await failedOf(1, () => client.health({ retries: 1 }))).toEqual([]);
  expect(asked).toBe(6);
});

it('waits no more often than it fails where no retries are wanted', async () => {
  const { client } = limited(5);
  const failed = await failedOf(8, () => client.latestPrice('bitcoin', { retries: 0 }));
  expect(failed.map(({ at }) => at)).toEqual([0, 0, 0]);
});

it('leaves half of the time that is left after Retry-After to the answer', () => {
  const { pauseAfter } = createRetries('GET', 2, () => 1);
  const refused = new QuotientError('rate_limited', '', { status: 429, retryAfter: 1 });
  expect(pauseAfter(refused, 1_100)).toBe(1_050);
  expect(pauseAfter(refused, 1_000)).toBeUndefined();
});
