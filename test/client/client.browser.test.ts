import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type * as quotient from '#client/index';
import { SECOND } from '#core/clock';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createNoonClock } from '../../fixtures/clock.ts';
import { transferBytes } from '../../fixtures/signing.ts';
import { buildClient } from '../../scripts/build-client.ts';
import { openPage } from '../support/browser/page.ts';
import { type Service, startService } from '../support/service/service.ts';

declare global {
  /** The state of the page. */
  var client: typeof quotient;
}

let folder: string;
let opened: Awaited<ReturnType<typeof openPage>>;
let nodes: Sandbox;
let service: Service;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-client-'));
  await buildClient(folder);
  opened = await openPage(folder);
  // The clock advances by a second with every reading, so that the next block is soon due.
  let readings = 0;
  const clock = {
    elapsed: () => performance.now(),
    now() {
      readings += 1;
      return Date.now() + readings * SECOND;
    },
  };
  nodes = await startSandbox({ clock });
  service = await startService({
    clock: createNoonClock(),
    settings: { BASE_PATH: '/market', CORS_ORIGINS: opened.origin, NODE_URLS: nodes.cosmosNodeUrl },
  });
});
afterAll(async () => {
  await opened?.close();
  await service?.close();
  await nodes?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => opened.go());
afterEach(() => expect(opened.errors).toEqual([]));

it('registers, reads prices, and reports the remaining allowance', async () => {
  const received = await opened.page.evaluate(async (baseUrl) => {
    const anyone = new client.QuotientClient({ baseUrl });
    const user = await anyone.createUser({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
    if (user.apiKey === undefined) throw new Error('the user has no key');
    const one = anyone.withKey(user.apiKey);
    const price = await one.latestPrice('bitcoin');
    const { prices } = await one.priceHistory('ethereum', { days: 30 });
    const csv = await one.priceHistoryCsv('ethereum', { days: 30 });
    const left = one.allowance;
    const again = await one.latestPrice('bitcoin');
    return {
      used: (await one.usage()).used,
      same: again.current_price === price.current_price,
      validUntil: user.validUntil instanceof Date,
      highest: price.ath_date instanceof Date,
      ages: [typeof one.about(price)?.age, typeof one.about(price)?.cacheStatus],
      points: prices.length,
      dated: prices.every(({ date }) => date instanceof Date),
      lines: csv.trim().split('\r\n').length,
      left: left?.remaining,
      limit: left?.limit,
      leaked: performance.getEntriesByType('resource').filter(({ name }) => name.includes(user.apiKey)).length,
    };
  }, service.url);
  expect(received).toMatchObject({ validUntil: true, highest: true, ages: ['number', 'string'], points: 31 });
  expect(received).toMatchObject({ dated: true, lines: 32, limit: 10_000, leaked: 0 });
  expect(received.left).toBeLessThan(10_000);
  // The cached response of the browser was revalidated, which is not charged.
  expect(received).toMatchObject({ same: true, used: 3 });
});

it('rotates the key and deletes the user', async () => {
  const apiKey = await service.createUser();
  const received = await opened.page.evaluate(
    async ([baseUrl, key]) => {
      const one = new client.QuotientClient({ baseUrl, apiKey: key });
      const user = await one.rotate({ graceSeconds: 0 });
      const next = one.withKey(user.apiKey);
      const renewed = await next.renew();
      await next.deleteUser();
      const gone = await next.usage().catch((error: quotient.QuotientError) => error.status);
      return { other: user.apiKey !== key, later: renewed.validUntil > user.validUntil, gone };
    },
    [service.url, apiKey] as const,
  );
  expect(received).toEqual({ other: true, later: true, gone: 401 });
});

it('reports problems and network failures as its own errors', async () => {
  const apiKey = await service.createUser({ limit: 0 });
  const received = await opened.page.evaluate(
    async ([baseUrl, key]) => {
      const failure = (call: Promise<unknown>) =>
        call.then(
          () => undefined,
          (error: quotient.QuotientError) => ({
            own: error instanceof client.QuotientError,
            code: error.code,
            location: error.errors?.[0]?.location,
            waits: (error.retryAfter ?? 0) > 0,
            named: Boolean(error.requestId),
          }),
        );
      const one = new client.QuotientClient({ baseUrl, apiKey: key, retries: 0 });
      const nowhere = new client.QuotientClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
      const ended = await one
        .latestPrice('bitcoin', { signal: AbortSignal.abort() })
        .catch((error: Error) => error.name);
      return {
        spent: await failure(one.latestPrice('bitcoin')),
        wrong: await failure(one.priceHistory('bitcoin', { days: 0 })),
        nowhere: await failure(nowhere.tokens()),
        ended,
      };
    },
    [service.url, apiKey] as const,
  );
  expect(received.spent).toMatchObject({ own: true, code: 'quota_exceeded', waits: true, named: true });
  expect(received.wrong).toMatchObject({ own: true, code: 'invalid_request', location: 'query.days' });
  expect(received.nowhere).toMatchObject({ own: true, code: 'network' });
  expect(received.ended).toBe('AbortError');
});

it('does not follow a redirect, whose target a browser hides', async () => {
  const received = await opened.page.evaluate(() =>
    new client.QuotientClient({ baseUrl: '/moved' })
      .withKey('qt_a')
      .user()
      .catch(({ code, status }) => ({ code, status })),
  );
  expect(received).toEqual({ code: 'redirect', status: undefined });
});

it('broadcasts a signed transaction through the service, and waits for its block', async () => {
  const to = String(nodes.chain.accounts[1]?.address);
  const tx = Buffer.from(await transferBytes(nodes, { to })).toString('base64');
  const received = await opened.page.evaluate(
    async ([nodeUrl, apiKey, bytes, address]) => {
      const chain = new client.ChainClient({ nodeUrl, apiKey });
      const raw = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
      const found = await chain.broadcast(raw, { wait: { interval: 20, timeout: 20_000 } });
      const { result } = await chain.balances(address);
      const { txs } = await chain.transactions({ 'transfer.recipient': address });
      return { height: Number(found.height), code: found.code, coins: result.length, found: txs.length };
    },
    [`${service.url}/v1/node`, await service.createUser(), tx, to] as const,
  );
  expect(received).toMatchObject({ code: undefined, coins: 2, found: 1 });
  expect(received.height).toBeGreaterThan(0);
});

it('receives no response on an origin that is not allowed', async () => {
  const closed = await startService();
  try {
    const code = await opened.page.evaluate(
      (baseUrl) =>
        new client.QuotientClient({ baseUrl, retries: 0 }).tokens().then(
          () => 'a response',
          ({ code }: quotient.QuotientError) => code,
        ),
      closed.url,
    );
    expect(code).toBe('network');
  } finally {
    await closed.close();
  }
});
