import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QuotientClient } from '#client/index';
import { allowanceOf, retryAfterOf } from '#client/transport/retries';

const PERIOD = { days: 3 };

/** A client that receives these texts in order, with numbered request IDs. */
function clientOf(...texts: string[]): QuotientClient {
  let made = 0;
  const fetch = async () => {
    made += 1;
    return new Response(texts[made - 1], { headers: { 'x-request-id': `r${made}`, age: String(made) } });
  };
  return new QuotientClient({ baseUrl: 'http://service.example', fetch });
}

describe('the metadata of a CSV response', () => {
  it('is that of the latest response with the same text', async () => {
    const client = clientOf('a', 'b', 'a');
    const [first, second] = [
      await client.priceHistoryCsv('bitcoin', PERIOD),
      await client.candlesCsv('bitcoin', { from: '2026-01-01', thru: '2026-01-02' }),
    ];
    expect([first, second].map((text) => client.about(text)?.requestId)).toEqual(['r1', 'r2']);
    await client.priceOnCsv('bitcoin', '2026-01-01');
    expect(client.about(first)).toMatchObject({ requestId: 'r3', age: 3, gaps: [], sources: [] });
    expect(client.about('another')).toBeUndefined();
  });

  it('is dropped for older texts above the size limit, but never for the latest text', async () => {
    const small = 'a';
    const half = 'b'.repeat(2_500_000);
    const large = 'c'.repeat(5_000_000);
    const client = clientOf(small, half, `${half}b`, large, small, half);
    const fetchNext = () => client.priceHistoryCsv('bitcoin', PERIOD);
    const received = () => [small, half, `${half}b`, large].map((text) => client.about(text)?.requestId);
    await fetchNext();
    await fetchNext();
    expect(received()).toEqual(['r1', 'r2', undefined, undefined]);
    await fetchNext();
    expect(received()).toEqual([undefined, undefined, 'r3', undefined]);
    await fetchNext();
    expect(received()).toEqual([undefined, undefined, undefined, 'r4']);
    await fetchNext();
    expect(received()).toEqual(['r5', undefined, undefined, undefined]);
    await fetchNext();
    expect(received()).toEqual(['r5', 'r6', undefined, undefined]);
  });
});

describe('the limits in the headers', () => {
  const headers = (policy: string, state: string) => new Headers({ 'ratelimit-policy': policy, ratelimit: state });

  it('are found by name, in any order', () => {
    const policies = ['"plan";q=10000;w=2678400', '"burst";q=50;w=1'];
    const states = ['"plan";r=9123;t=86400', '"burst";r=0;t=1'];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(policies, { minLength: 2 }),
        fc.shuffledSubarray(states, { minLength: 2 }),
        (p, s) => {
          const received = headers(p.join(', '), s.join(','));
          expect(allowanceOf(received, 0)).toEqual({
            limit: 10_000,
            remaining: 9123,
            resetsAt: new Date(86_400_000),
          });
          expect(retryAfterOf(received, 0)).toBe(1);
        },
      ),
    );
  });

  it('are undefined for invalid headers', () => {
    const field = fc.string({
      unit: fc.constantFrom('"', 'plan', ';', 'q=', 'r=', 't=', '0', '7', ',', ' ', '=', '-'),
    });
    fc.assert(
      fc.property(field, field, (policy, state) => {
        const received = headers(policy, state);
        const allowance = allowanceOf(received, 0);
        for (const value of [allowance?.limit, allowance?.remaining, retryAfterOf(received, 0)]) {
          expect(value === undefined || Number.isSafeInteger(value)).toBe(true);
        }
      }),
    );
    expect(allowanceOf(headers('"other";q=1', '"other";r=1;t=1'), 0)).toBeUndefined();
  });
});
