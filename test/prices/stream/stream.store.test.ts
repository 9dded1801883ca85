import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { type Events, openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { storePrice } from '../../support/service/store-price.ts';

const STREAM = '/v1/prices/stream?tokenNames=';
let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { BURST_PER_SECOND: '0', CORS_ORIGINS: 'https://app.example.org' } });
});
afterAll(() => service?.close());

type Options = Parameters<typeof openEvents>[1];
const open = (query: string, options: Options): Promise<Events> =>
  openEvents(`${service.url}${STREAM}${query}`, options);

async function usedBy(key: string): Promise<number> {
  const usage = await service.get('/v1/user/usage', { key });
  return ((await usage.json()) as { used: number }).used;
}

let lastPrice = 1000;

/** Stores a price that no token has had, also in a retry of a test. Returns the price. */
async function storeNew(token: string): Promise<number> {
  lastPrice += 1;
  await store(token, lastPrice);
  return lastPrice;
}

async function store(token: string, price: number): Promise<void> {
  await storePrice(service.database, token, price);
  await service.parts.poll();
}

describe('a price stream', () => {
  it('starts with the records of a call for the same tokens, and their source', async () => {
    const key = await service.createUser();
    for (const query of ['sol,BTC', 'arweave&currency=eur', 'ethereum&vs_currency=btc']) {
      const call = await service.get(`/v1/prices/latest/tokens?tokenNames=${query}`, { key });
      const records = (await call.json()) as object[];
      const stream = await open(query, { key });
      await stream.received(records.length);
      expect(stream.prices()).toEqual(records.map((record) => ({ ...record, source: 'coingecko' })));
      stream.close();
    }
  });

  it('sends its headers, and is not compressed', async () => {
    const key = await service.createUser();
    const headers = { 'accept-encoding': 'br, gzip', accept: 'text/event-stream', 'last-event-id': '7' };
    const stream = await open('bitcoin', { key, headers: { ...headers, origin: 'https://app.example.org' } });
    expect(stream).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': 'https://app.example.org',
        ratelimit: expect.stringMatching(/^"plan";r=999999;t=\d+$/),
        'x-request-id': expect.any(String),
      },
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    await stream.received(1);
    expect(stream.retry()).toBeGreaterThanOrEqual(2000);
    expect(stream.retry()).toBeLessThanOrEqual(5000);
    stream.close();
  });

  it('sends one event for each change, to the streams with this token', async () => {
    const key = await service.createUser();
    const [both, one] = [await open('bitcoin,solana', { key }), await open('solana', { key })];
    await Promise.all([both.received(2), one.received(1)]);
    const stored: [string, number][] = [];
    for (const token of ['bitcoin', 'bitcoin', 'solana']) {
      stored.push([token, await storeNew(token)]);
      // Otherwise, two changes of a token can become one event.
      await both.received(2 + stored.length);
    }
    await one.received(2);
    const changes = both.prices().slice(2);
    expect(changes.map(({ tokenName, current_price }) => [tokenName, current_price])).toEqual(stored);
    const ids = both.events.map(({ id }) => Number(id));
    const [first, later] = [Math.max(...ids.slice(0, 2)), ids.slice(2)];
    expect([first, ...later]).toEqual([...new Set([first, ...later])].toSorted((a, b) => a - b));
    expect(one.prices().map(({ tokenName }) => tokenName)).toEqual(['solana', 'solana']);

    // An unchanged price is not an event.
    await store('solana', lastPrice);
    await storeNew('bitcoin');
    await both.received(6);
    expect(one.events).toHaveLength(2);
    const late = await open('solana', { key });
    await late.received(1);
    expect(late.prices()[0].current_price).toBe(one.prices()[1].current_price);
    for (const stream of [both, one, late]) stream.close();
  });

  it('converts changes to its currency, and follows the price of the currency itself', async () => {
    const key = await service.createUser();
    const stream = await open('ethereum&currency=btc', { key });
    await stream.received(1);
    const ethereum = await storeNew('ethereum');
    await stream.received(2);
    const bitcoin = await storeNew('bitcoin');
    await stream.received(3);
    expect(stream.prices().at(-1).current_price).toBeCloseTo(ethereum / bitcoin, 10);
    stream.close();
  });

  it.each([
    ['one', 'bitcoin', 1],
    ['eleven', 'eleven', 2],
  ])('charges %s tokens when it opens', async (_, names, calls) => {
    const tokens = names === 'eleven' ? await eleven() : names;
    const key = await service.createUser();
    const stream = await open(tokens, { key });
    expect(stream.status).toBe(200);
    expect(await usedBy(key)).toBe(calls);
    stream.close();
  });

  it('answers HEAD with its headers, and holds no place for it', async () => {
    const key = await service.createUser();
    for (let i = 0; i < 12; i++) {
      const { status, headers, isEnded } = await headOf(key);
      expect([status, headers['content-type'], isEnded]).toEqual([200, 'text/event-stream', true]);
    }
  });
});

async function headOf(key: string) {
  const stream = await open('bitcoin', { key, method: 'HEAD' });
  await stream.ended();
  return { ...stream, isEnded: stream.isEnded() };
}

/** Adds tokens, and returns the names of eleven. */
async function eleven(): Promise<string> {
  const names = await addSandboxTokens(service.database.prisma, 11);
  await service.parts.poll();
  return names.join();
}

describe('a rejected stream', () => {
  let key: string;
  let nodeKey: string;
  beforeAll(async () => {
    key = await service.createUser();
    const created = await fetch(`${service.url}/v1/user/keys?label=node&scopes=node`, {
      method: 'POST',
      headers: { 'x-api-key': key },
    });
    nodeKey = ((await created.json()) as { apiKey: string }).apiKey;
  });

  it.each<[string, string, () => Options, number, string]>([
    ['without tokens', '', () => ({ key }), 400, 'invalid_request'],
    ['with an unknown token', 'bitcoin,nosuch', () => ({ key }), 400, 'invalid_request'],
    ['with a token twice', 'bitcoin,btc', () => ({ key }), 400, 'invalid_request'],
    ['with an unknown currency', 'bitcoin&currency=xxx', () => ({ key }), 400, 'invalid_request'],
    ['without a key', 'bitcoin', () => ({}), 401, 'api_key_missing'],
    ['with a key in the query', `bitcoin&api=x`, () => ({}), 401, 'api_key_missing'],
    ['with a key for nodes', 'bitcoin', () => ({ key: nodeKey }), 403, 'scope_missing'],
    ['in JSON', 'bitcoin', () => ({ key, headers: { accept: 'application/json' } }), 406, 'not_acceptable'],
    ['by POST', 'bitcoin', () => ({ key, method: 'POST' }), 405, 'method_not_allowed'],
    ['with an unknown ticket', 'bitcoin&ticket=x', () => ({ key }), 400, 'token_invalid'],
  ])('%s', async (_, query, options, status, code) => {
    const stream = await open(query, options());
    expect([stream.status, stream.code()]).toEqual([status, code]);
    expect(stream.headers['cache-control']).toBe('no-store');
  });

  it('above ten streams of a user, over all keys', async () => {
    const user = await service.createUser();
    const created = await fetch(`${service.url}/v1/user/keys?label=page`, {
      method: 'POST',
      headers: { 'x-api-key': user },
    });
    const { apiKey } = (await created.json()) as { apiKey: string };
    const attempts = await Promise.all(
      Array.from({ length: 30 }, (_, i) => open('bitcoin', { key: i % 2 === 0 ? user : apiKey })),
    );
    const [held, refused] = [attempts.filter(({ status }) => status === 200), attempts.filter((one) => one.code())];
    expect([held.length, refused.length]).toEqual([10, 20]);
    for (const one of refused) {
      expect([one.status, one.code(), one.headers['retry-after']]).toEqual([429, 'too_many_streams', '5']);
      expect(one.headers.ratelimit).toMatch(/^"plan";r=\d+;t=\d+$/);
    }
    // Refused streams are not charged.
    expect(await usedBy(user)).toBe(10);
    held[0]?.close();
    await expect
      .poll(async () => {
        const next = await open('bitcoin', { key: user });
        return next.status;
      })
      .toBe(200);
    for (const one of attempts) one.close();
  });

  it('for a user without calls', async () => {
    const stream = await open('bitcoin', { key: await service.createUser({ limit: 0 }) });
    expect([stream.status, stream.code()]).toEqual([429, 'quota_exceeded']);
  });
});
