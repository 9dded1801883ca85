import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '#core/clock';
import { type Keys, openKeys } from '../../keys/keys-harness.ts';
import { PRICED } from '../../support/service/hammer.ts';

/* The daily limit of a key, in one process. */

const START = Date.UTC(2026, 0, 31, 12, 0, 30);
const MIDNIGHT = Date.UTC(2026, 1, 1);

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(START);
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  keys.clock.passUntil(START);
  owner = await keys.service.register();
});

const limited = (dailyLimit: number) => keys.make(owner, { dailyLimit: String(dailyLimit) });

async function outcomes(key: string, times: number, path = PRICED) {
  const all = [];
  for (let n = 0; n < times; n++) all.push(await keys.outcome('GET', path, key));
  return all;
}

describe('a key with a daily limit', () => {
  it('is rejected beyond the limit until midnight; other keys are not affected', async () => {
    const { apiKey } = await limited(3);
    const other = await keys.make(owner);
    expect(await outcomes(apiKey, 5)).toEqual([200, 200, 200, 'key_limit_exceeded', 'key_limit_exceeded']);
    const { status, headers } = await keys.ask('GET', PRICED, apiKey);
    const seconds = Math.ceil((MIDNIGHT - keys.clock.now()) / SECOND);
    expect([status, headers.get('retry-after'), headers.get('ratelimit')]).toEqual([
      429,
      String(seconds),
      `"key";r=0;t=${seconds}`,
    ]);
    expect(headers.get('ratelimit-policy')).toContain('"key";q=3;w=86400');
    expect(await outcomes(other.apiKey, 3)).toEqual([200, 200, 200]);
    expect(await outcomes(owner, 1)).toEqual([200]);
    expect((await keys.ask('GET', '/v1/user/usage', apiKey)).body).toMatchObject({ used: 7 });
  });

  it('is charged for no free response, and can make free requests beyond the limit', async () => {
    const { apiKey } = await limited(2);
    const { headers } = await keys.ask('GET', PRICED, apiKey);
    const unchanged = { 'if-none-match': headers.get('etag') as string };
    for (let n = 0; n < 4; n++) expect((await keys.ask('GET', PRICED, apiKey, unchanged)).status).toBe(304);
    expect(await outcomes(apiKey, 2, '/v1/prices/history/days?tokenName=bitcoin&days=0')).toEqual([
      'invalid_request',
      'invalid_request',
    ]);
    expect(await outcomes(apiKey, 2)).toEqual([200, 'key_limit_exceeded']);
    expect(await outcomes(apiKey, 1, '/v1/user/usage')).toEqual([200]);
  });

  it('is rejected if fewer calls are left than the request costs, and can still make a cheaper request', async () => {
    const { apiKey } = await limited(2);
    expect(await outcomes(apiKey, 2)).toEqual([200, 200]);
    const { apiKey: another } = await limited(3);
    const several = `/v1/prices/latest/tokens?tokenNames=${'bitcoin,ethereum,arweave,solana,usd-coin'}`;
    expect(await outcomes(another, 3, several)).toEqual([200, 200, 200]);
    expect(await outcomes(another, 1, several)).toEqual(['key_limit_exceeded']);
  });

  it('follows a change of the limit immediately', async () => {
    const { id, apiKey } = await limited(1);
    expect(await outcomes(apiKey, 2)).toEqual([200, 'key_limit_exceeded']);
    const change = (dailyLimit: number | null) =>
      fetch(`${keys.service.url}/v1/user/keys/${id}`, {
        method: 'PATCH',
        headers: { 'x-api-key': owner, 'content-type': 'application/json' },
        body: JSON.stringify({ dailyLimit }),
      });
    await change(3);
    expect(await outcomes(apiKey, 3)).toEqual([200, 200, 'key_limit_exceeded']);
    await change(2);
    expect(await outcomes(apiKey, 1)).toEqual(['key_limit_exceeded']);
    await change(null);
    expect(await outcomes(apiKey, 2)).toEqual([200, 200]);
    // The calls without a limit count too, once there is one again.
    await change(6);
    expect(await outcomes(apiKey, 2)).toEqual([200, 'key_limit_exceeded']);
  });

  it('keeps its count while the process does not use it, and when calls wait for the ledger together', async () => {
    const { apiKey } = await limited(4);
    const together = await Promise.all(Array.from({ length: 10 }, () => keys.outcome('GET', PRICED, apiKey)));
    expect(together.filter((one) => one === 200)).toHaveLength(4);
    keys.clock.pass(HOUR);
    await keys.service.parts.allowance.poll();
    expect(await outcomes(apiKey, 1)).toEqual(['key_limit_exceeded']);
  });
});

it('starts again with each UTC date', async () => {
  const { apiKey } = await limited(1);
  expect(await outcomes(apiKey, 2)).toEqual([200, 'key_limit_exceeded']);
  await keys.moveTo(Math.floor(keys.clock.now() / DAY) * DAY + DAY);
  expect(await outcomes(apiKey, 2)).toEqual([200, 'key_limit_exceeded']);
});
