import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTokenStore } from '#catalogue/token-store';
import type { TokenRecord } from '#prices/model/prices-records';
import { sandboxTokens } from '#sandbox/tokens';
import { sandboxPairs } from '../../fixtures/sandbox-tokens.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let key: string;
beforeEach(async () => {
  service = await startService({ settings: { COINGECKO_CALLS_PER_MINUTE: '10000' } });
  key = await service.createUser();
});
afterEach(() => service.close());

const added = [...sandboxTokens().values()].slice(5, 1005);
/** Adds synthetic tokens as a command does, and applies the change. */
async function addTokens(count: number): Promise<void> {
  const store = createTokenStore(service.database.prisma);
  const [last] = added.slice(count - 1, count);
  const rows = added.slice(0, count - 1);
  await service.database.prisma.token.createMany({
    data: rows.map(({ name, symbol, title, begins, listed, ...pairs }) => ({
      ...{ name, symbol, title, pairs: sandboxPairs(pairs) },
      ...{ begins: new Date(begins), listed: new Date(listed) },
    })),
  });
  if (last) await store.add({ ...last, statistics: false, pairs: sandboxPairs(last) });
  await service.parts.poll();
}
const listed = async () => (await (await service.get('/v1/tokens')).json()) as TokenRecord[];

describe('GET /v1/tokens', () => {
  test('lists each token with its title, in the order in which they were added', async () => {
    await addTokens(2);
    const tokens = await listed();
    expect(tokens.map(({ tokenName, symbol, title }) => [tokenName, symbol, title])).toEqual([
      ['bitcoin', 'btc', 'Bitcoin'],
      ['arweave', 'ar', 'Arweave'],
      ['ethereum', 'eth', 'Ethereum'],
      ['solana', 'sol', 'Solana'],
      ['usd-coin', 'usdc', 'USDC'],
      ...added.slice(0, 2).map(({ name, symbol, title }) => [name, symbol, title]),
    ]);
    expect(tokens[5]).toMatchObject({
      listed: added[0]?.listed,
      archive: { day: { from: null, thru: null, points: 0 } },
    });
    expect(tokens[5]?.endpoints).not.toContain('/v1/prices/latest/stats');
    // Kraken provides the candles, and has a pair only for the first token.
    const candles = '/v1/prices/history/ohlc';
    expect(tokens.slice(5).map(({ endpoints }) => endpoints.includes(candles))).toEqual([true, false]);
  });

  test('has a validator: a client that has the list receives 304 until the list changes', async () => {
    const first = await service.get('/v1/tokens');
    const etag = String(first.headers.get('etag'));
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await service.get('/v1/tokens', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await addTokens(1);
    const changed = await service.get('/v1/tokens', { headers: { 'if-none-match': etag } });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  });

  test('lists more than a thousand tokens, compressed if the client accepts it', async () => {
    await addTokens(1000);
    expect(await listed()).toHaveLength(1005);
    const response = await service.get('/v1/tokens', { headers: { 'accept-encoding': 'br' } });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(await response.json()).toHaveLength(1005);
  });
});

describe('a token', () => {
  const latest = (name: string) => service.get(`/v1/prices/latest/token?tokenName=${name}`, { key });

  test('is found by its name or symbol in any case, with identical responses', async () => {
    await addTokens(1);
    for (const names of [
      ['bitcoin', 'BTC', 'btc', 'Bitcoin'],
      ['albado', 'abd', 'ABD'],
    ]) {
      const etags = [];
      for (const name of names) {
        const response = await latest(name);
        expect(response.status).toBe(200);
        etags.push(response.headers.get('etag'));
      }
      expect(new Set(etags).size).toBe(1);
    }
  });

  test('that was removed is rejected immediately, however recently it was requested', async () => {
    await addTokens(1);
    for (let i = 0; i < 5; i++) expect((await latest('albado')).status).toBe(200);
    await createTokenStore(service.database.prisma).remove('albado', Date.now());
    await service.parts.poll();
    expect((await latest('albado')).status).toBe(400);
    const problem = await (await latest('abd')).json();
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ location: 'query.tokenName' }] });
  });
});
