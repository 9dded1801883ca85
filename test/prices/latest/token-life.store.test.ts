import { afterEach, expect, test } from 'vitest';
import { createListing } from '#catalogue/listing';
import { createTokenStore } from '#catalogue/token-store';
import { DAY, MINUTE } from '#core/clock';
import type { TokenPrice } from '#prices/latest/latest-records';
import type { TokenRecord } from '#prices/model/prices-records';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { callTool } from '../../mcp/open.ts';
import { OPERATOR } from '../../support/operator.ts';
import { type FaultyUpstreamService, startWithFaultyUpstream } from '../../support/service/chaos.ts';
import { METRICS_ON, openScrape } from '../../support/service/metrics.ts';

let service: FaultyUpstreamService;
let old: string;
let next: string;
afterEach(() => service.close());

async function start(settings: Record<string, string> = {}): Promise<void> {
  const frequent = { COINGECKO_REFRESH: 'latest=1m', COINGECKO_CALLS_PER_MONTH: '1000000' };
  service = await startWithFaultyUpstream({ settings: { ...frequent, ...settings } });
  [old = '', next = ''] = (await addSandboxTokens(service.database.prisma, 7)).slice(5);
  await service.parts.catalogue.sync();
}

async function alias(to: string | undefined) {
  const { catalogue } = service.parts;
  const store = createTokenStore(service.database.prisma);
  const none = { coinGecko: undefined, coins: {} as never, exchanges: [] };
  await createListing({ ...none, store, catalogue, clock: service.clock }).alias(OPERATOR, old, to);
}

const latest = (name: string, headers = {}) => service.ask(`/v1/prices/latest/token?tokenName=${name}`, headers);
async function life(name: string) {
  await service.pass(2000);
  const tokens = (await (await service.get('/v1/tokens')).json()) as TokenRecord[];
  const found = tokens.find(({ tokenName }) => tokenName === name);
  return found && { inactive: found.inactive, priced: found.lastPriceAt !== null, successor: found.successor };
}

/** The token's price in the following responses. */
const priced = (current_price: number | null, last_updated: string) =>
  service.sandbox.faults.always(
    {
      kind: 'changed',
      change: (body) =>
        (body as { id: string }[]).map((coin) => (coin.id === old ? { ...coin, current_price, last_updated } : coin)),
    },
    { path: '/coins/markets' },
  );

test('a token is inactive while its last price is older than a day or unknown', async () => {
  await start(METRICS_ON);
  const scrape = await openScrape(service);
  const inactive = async () => (await scrape.series()).get('quotient_tokens_inactive');
  expect(await life(old)).toEqual({ inactive: false, priced: false, successor: null });
  priced(null, '2025-01-01T00:00:00.000Z');
  expect([(await latest(old)).code, (await latest(old)).code]).toEqual(['no_data', 'no_data']);
  expect(await life(old)).toEqual({ inactive: true, priced: false, successor: null });
  expect(await inactive()).toBe(1);

  priced(3, '2026-01-01T00:00:00.000Z');
  await service.pass(2 * MINUTE);
  await latest(old);
  await service.parts.market.idle();
  const stale = await latest(old);
  expect([stale.status, stale.cache]).toMatchObject([200, { fwd: 'stale', detail: 'stale' }]);
  expect(await life(old)).toEqual({ inactive: true, priced: true, successor: null });
  expect(await inactive()).toBe(1);

  service.sandbox.faults.clear();
  await service.pass(2 * MINUTE);
  await latest(old);
  await service.parts.market.idle();
  expect(await life(old)).toEqual({ inactive: false, priced: true, successor: null });
  expect(await inactive()).toBe(0);
  // Without a request, the age of the stored price shows nothing about the token.
  await service.pass(2 * DAY);
  expect(await life(old)).toEqual({ inactive: false, priced: true, successor: null });
  await scrape.close();
});

test('requests for a token with a successor are answered with the successor, on both response paths, until it is removed', async () => {
  await start();
  const [own, other] = [await latest(old), await latest(next)];
  expect(own.header('quotient-token')).toBeUndefined();
  await alias(next);
  for (const name of [old, old.toUpperCase(), old]) {
    const renamed = await latest(name);
    expect([renamed.body, renamed.header('quotient-token')]).toEqual([other.body, next]);
    expect(renamed.header('etag')).toBe(other.header('etag'));
  }
  const direct = await latest(next);
  expect([direct.body, direct.header('quotient-token')]).toEqual([other.body, undefined]);
  const unchanged = await latest(old, { 'if-none-match': other.header('etag') ?? '' });
  expect([unchanged.status, unchanged.header('quotient-token')]).toEqual([304, next]);

  const several = await service.ask(`/v1/prices/latest/tokens?tokenNames=bitcoin,%20${old}`);
  expect((JSON.parse(several.body) as TokenPrice[]).map(({ tokenName }) => tokenName)).toEqual(['bitcoin', next]);
  expect(several.header('quotient-token')).toBe(next);
  for (const path of ['history/days?days=1', 'history/date/range?fromDate=2026-05-10&thruDate=2026-05-12']) {
    const history = await service.ask(`/v1/prices/${path}&tokenName=${old}`);
    expect([history.status, history.header('quotient-token')]).toEqual([200, next]);
  }
  expect(await life(old)).toMatchObject({ successor: next });

  await alias(undefined);
  const back = await latest(old);
  expect([back.body, back.header('quotient-token')]).toEqual([own.body, undefined]);
});

test('streams and MCP name the successor, too', async () => {
  await start();
  await alias(next);
  const { url, key } = service;
  const stream = async (token: string) => {
    const response = await fetch(`${url}/v1/prices/stream?tokenNames=bitcoin,${token}`, {
      headers: { 'x-api-key': key },
    });
    await response.body?.cancel();
    return [response.status, response.headers.get('quotient-token')];
  };
  expect([await stream(old), await stream(next)]).toEqual([
    [200, next],
    [200, null],
  ]);
  const textOf = async (name: string, given: object) => (await callTool(url, key, name, given)).content[0]?.text;
  const line = `\nTokens that replace requested tokens: ${next}`;
  expect(await textOf('get_latest_prices', { tokenNames: ['btc', old.toUpperCase()] })).toContain(line);
  expect(await textOf('get_latest_prices', { tokenNames: JSON.stringify([old, 'btc']) })).toContain(line);
  expect(await textOf('get_price_on_date', { tokenName: old, date: '2026-05-10' })).toContain(line);
  expect(await textOf('get_latest_prices', { tokenNames: [next] })).not.toContain('replace');
});

test('a successor is a served token, and successors form no loop', async () => {
  await start();
  await expect(alias('nothing-like-it')).rejects.toMatchObject({ code: 'not_found' });
  await expect(alias(old)).rejects.toMatchObject({ code: 'token_rejected' });
  const store = createTokenStore(service.database.prisma);
  await store.setSuccessor(next, old);
  await service.parts.catalogue.sync();
  await expect(alias(next)).rejects.toMatchObject({ code: 'token_rejected' });
  await store.setSuccessor(old, next);
  await service.parts.catalogue.sync();
  expect((await latest(old)).header('quotient-token')).toBe(next);
  expect((await latest('bitcoin')).header('quotient-token')).toBeUndefined();
});
