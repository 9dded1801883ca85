import { afterEach, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../../support/service/chaos.ts';
import { METRICS_ON, openScrape } from '../../support/service/metrics.ts';

let service: FaultyUpstreamService;
afterEach(() => service.close());

const start = (settings: Record<string, string> = {}) =>
  startWithFaultyUpstream({
    settings: {
      ...{ MARKET_SOURCES: 'coingecko,kraken', COINGECKO_REFRESH: 'latest=1m', LOG_LEVEL: 'warn' },
      COINGECKO_CALLS_PER_MONTH: '1000000',
      ...settings,
    },
  });

const ready = async () => (await (await service.get('/health/ready')).json()) as { warnings: string[] };
const logged = (message: string) =>
  service.logLines
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ msg }) => msg === message);
const SWITCH = 'latest-price source switched';
const DIFFERENT = 'price difference between sources';

/** A response of Kraken with one price for all pairs. */
const ticker = (price: string) => ({
  kind: 'status' as const,
  status: 200,
  body: {
    error: [],
    result: Object.fromEntries(
      ['XXBTZUSD', 'XETHZUSD', 'SOLUSD', 'USDCUSD', 'ARUSD'].map((pair) => [pair, { c: [price, '1'] }]),
    ),
  },
});

/** Sends a request every minute for some minutes, so that the schedule applies. */
async function requestEveryMinute(minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    await service.pass(MINUTE);
    await service.ask(LATEST);
    await service.parts.market.idle();
  }
}

test('the headers name the sources of the price and of the other values, with their ages, on both response paths', async () => {
  service = await start();
  expect((await service.ask(LATEST)).header('quotient-source')).toBe('coingecko');
  await service.gate.shut();
  await requestEveryMinute(4);
  for (const accept of ['*/*', 'application/json']) {
    const response = await service.ask(LATEST, { accept });
    expect(response.header('quotient-source')).toMatch(/^kraken;age=\d+, coingecko;age=240$/);
    expect(response.header('age')).toBe(/kraken;age=(\d+)/.exec(response.header('quotient-source') ?? '')?.[1]);
    expect(response.cache).toMatchObject({ hit: true });
    expect(response.header('cache-control')).toMatch(/^private, max-age=\d+, stale/);
  }
  await service.gate.reopen();
  await requestEveryMinute(10);
  expect((await service.ask(LATEST)).header('quotient-source')).toBe('coingecko');
  expect(logged(SWITCH)).toMatchObject([
    {
      level: 40,
      from: 'coingecko',
      to: 'kraken',
      reason: expect.stringMatching(/^coingecko: (unreachable|resting)$/),
    },
    { level: 40, from: 'kraken', to: 'coingecko', reason: 'recovered' },
  ]);
  expect(logged(DIFFERENT)).toEqual([]);
});

test('a large price difference at a switch is logged, counted, and shown for its duration or an hour', async () => {
  service = await start(METRICS_ON);
  const scrape = await openScrape(service);
  const counted = async (token: string) =>
    (await scrape.series()).get(`quotient_price_differences_total{token="${token}"}`);
  for (const name of ['bitcoin', 'arweave', 'ethereum', 'solana', 'usd-coin']) {
    await service.ask(`/v1/prices/latest/token?tokenName=${name}`);
  }
  expect(await counted('bitcoin')).toBe(0);
  service.sandbox.faults.always(ticker('1.00'), { path: '/Ticker' });
  await service.gate.shut();
  await requestEveryMinute(4);
  expect(logged(DIFFERENT)).toHaveLength(4);
  expect(logged(DIFFERENT)).toContainEqual(
    expect.objectContaining({
      level: 40,
      token: 'bitcoin',
      prices: { coingecko: expect.any(Number), kraken: 1 },
    }),
  );
  expect([await counted('bitcoin'), await counted('usd-coin')]).toEqual([1, 0]);
  const { warnings } = await ready();
  expect(warnings).toContainEqual(
    expect.stringMatching(/^latest: kraken has been served instead of coingecko since 2026-05-15T14:1/),
  );
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /^latest: bitcoin was [\d.]+ according to coingecko and 1 according to kraken at 2026-05-15T14:1/,
    ),
  );

  await service.gate.reopen();
  await requestEveryMinute(10);
  const back = (await ready()).warnings;
  expect(back).toContainEqual(
    expect.stringMatching(/^latest: bitcoin was 1 according to kraken and [\d.]+ according to coingecko/),
  );
  expect(back.join()).not.toContain('instead of');
  expect(await counted('bitcoin')).toBe(2);
  await service.pass(HOUR + MINUTE);
  await service.ask(LATEST);
  await service.parts.market.idle();
  expect((await ready()).warnings).toEqual([]);
  await scrape.close();
});

test('a price of Kraken that contradicts the last one of CoinGecko is neither served nor a sample, and a warning names it', async () => {
  service = await start();
  const before = JSON.parse((await service.ask(LATEST)).body) as { current_price: number };
  service.sandbox.faults.always(ticker(String(2.1 * before.current_price)), { path: '/Ticker' });
  await service.gate.shut();
  await requestEveryMinute(4);
  const withheld = await service.ask(LATEST);
  expect(JSON.parse(withheld.body)).toEqual(before);
  expect(withheld.header('quotient-source')).toBe('coingecko');
  expect(withheld.cache).toMatchObject({ fwd: 'stale', ttl: -180 });
  expect((await ready()).warnings).toContainEqual(
    expect.stringMatching(/^latest: prices from kraken are not served, because .*: bitcoin$/),
  );
  const points = await service.database.prisma.point.findMany({ where: { source: 'kraken' } });
  expect(points).toEqual([]);
  service.sandbox.faults.always(ticker(String(1.5 * before.current_price)), { path: '/Ticker' });
  await requestEveryMinute(2);
  expect(JSON.parse((await service.ask(LATEST)).body)).toMatchObject({ current_price: 1.5 * before.current_price });
});

test('a price that jumps by a thousand is served when the next response confirms it', async () => {
  service = await start();
  const { current_price: price } = JSON.parse((await service.ask(LATEST)).body) as { current_price: number };
  const by = (factor: number) => (body: unknown) =>
    (body as { current_price: number }[]).map((coin) => ({ ...coin, current_price: factor * price }));
  const next = async (factor: number) => {
    service.sandbox.faults.always({ kind: 'changed', change: by(factor) }, { path: '/coins/markets' });
    await requestEveryMinute(1);
    return (JSON.parse((await service.ask(LATEST)).body) as { current_price: number }).current_price / price;
  };
  expect([await next(1000), await next(1.1), await next(1000), await next(1010)]).toEqual([1, 1.1, 1.1, 1010]);
});
