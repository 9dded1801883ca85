import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { FETCHED_EVERY_SECOND, openStand, type Stand } from './stand.ts';

const latest = (token: string) => `/v1/prices/latest/token?tokenName=${token}`;
const DAY_CHART = '/v1/prices/history/days?tokenName=ethereum&days=1';
/** A price that no token has, so that it can be recognised. */
const MARK = 666_666;

let stand: Stand;
let apiKey: string;
beforeAll(async () => {
  stand = await openStand({ settings: FETCHED_EVERY_SECOND });
  apiKey = await stand.register();
});
beforeEach(() => stand.sandbox.faults.clear());
afterAll(() => stand?.close());

/** Replaces CoinGecko's response at a path with its current response, changed by a function. */
async function changeResponses<T>(path: string, change: (body: T) => void): Promise<void> {
  const body = (await (await fetch(`${stand.sandbox.coingeckoUrl}${path}`)).json()) as T;
  change(body);
  const [plain] = path.split('?') as [string];
  const response = { kind: 'status', status: 200, body: JSON.stringify(body) } as const;
  stand.sandbox.faults.always(response, { path: plain });
}

/** Sends requests until CoinGecko has been called twice more at an endpoint. */
async function untilFetched(path: string, endpoint: string): Promise<void> {
  const before = stand.sandbox.countCalls(endpoint);
  for (const end = performance.now() + 15_000; stand.sandbox.countCalls(endpoint) < before + 2; ) {
    expect(performance.now(), 'CoinGecko is called').toBeLessThan(end);
    await stand.ask(path, apiKey);
    await wait(100);
  }
  await wait(1_000);
}

/** Implausible samples for each token except bitcoin. */
const IMPLAUSIBLE: readonly { token: string; at: () => number; sign: number }[] = [
  { token: 'ethereum', at: () => Date.now() + 3 * DAY, sign: 1 },
  { token: 'arweave', at: () => Date.parse('9999-12-31T23:59:59Z'), sign: 1 },
  { token: 'solana', at: () => DAY, sign: 1 },
  { token: 'usd-coin', at: () => Date.now() - MINUTE, sign: -1 },
];

it('latest prices with an implausible time or a negative price are not served or treated as the newest', async () => {
  type Markets = { id: string; current_price: number; last_updated: string }[];
  const path = '/coins/markets?vs_currency=usd&ids=bitcoin,arweave,ethereum,solana,usd-coin';
  await changeResponses<Markets>(path, (markets) => {
    for (const { token, at, sign } of IMPLAUSIBLE) {
      const market = markets.find(({ id }) => id === token);
      Object.assign(market ?? {}, { current_price: sign * MARK, last_updated: new Date(at()).toISOString() });
    }
  });
  await stand.attacked(() => untilFetched(latest('ethereum'), '/coins/markets'));
  for (const { token } of IMPLAUSIBLE) {
    const { status, text } = await stand.ask(latest(token), apiKey);
    expect.soft({ token, status }).toEqual({ token, status: 200 });
    expect.soft(text).not.toContain(String(MARK));
  }
});

/** The number of dropped CoinGecko samples, from the metrics. */
async function dropped(): Promise<number> {
  const received = (await stand.metrics()).matchAll(/^quotient_dropped_samples_total\{.*coingecko.*\} (\d+)/gm);
  return [...received].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('samples with an implausible time or a negative price are dropped, counted and logged', async () => {
  type Chart = Record<'prices' | 'market_caps' | 'total_volumes', [number, number][]>;
  await changeResponses<Chart>('/coins/ethereum/market_chart?vs_currency=usd&days=1', (chart) => {
    for (const column of Object.values(chart)) for (const { at, sign } of IMPLAUSIBLE) column.push([at(), sign * MARK]);
  });
  const before = await dropped();
  await stand.attacked(() => untilFetched(DAY_CHART, '/market_chart'));
  expect.soft(await dropped(), 'samples dropped').toBeGreaterThanOrEqual(before + IMPLAUSIBLE.length);
  expect.soft(stand.lines().some((line) => /dropped/.test(line))).toBe(true);
  const { status, text } = await stand.ask(DAY_CHART, apiKey);
  expect(status).toBe(200);
  expect(text).not.toContain(String(MARK));
});

it('implausible stored rows do not prevent a start', async () => {
  await stand.stop();
  await stand.inDatabase(async ({ prisma }) => {
    await prisma.$executeRawUnsafe(
      `INSERT INTO point (token, "interval", at, price, market_cap, volume, final, source, provisional)
       SELECT 'ethereum', i, at::timestamptz, price::float8, 1, 1, true, 'coingecko', false
       FROM unnest(enum_range(NULL::series_interval)) i,
         (VALUES ('9999-12-31 23:59:59Z', '${MARK}'), ('1970-01-02 00:00:00Z', '${MARK}'),
           ('2020-05-05 00:00:00Z', 'NaN'), ('2020-05-06 00:00:00Z', 'Infinity'), ('2020-05-07 00:00:00Z', '-1')
         ) bad (at, price) ON CONFLICT DO NOTHING`,
    );
    await prisma.$executeRawUnsafe(
      `UPDATE latest_price SET record = '{}', at = '9999-12-31 23:59:59Z' WHERE token = 'ethereum'`,
    );
  });
  await stand.start();
  await stand.attacked(() => untilFetched(latest('ethereum'), '/coins/markets'));
  for (const path of [latest('ethereum'), DAY_CHART, '/v1/prices/history/days?tokenName=ethereum&days=36500']) {
    const { status, text } = await stand.ask(path, apiKey);
    expect.soft({ path, status }).toEqual({ path, status: 200 });
    expect.soft(text).not.toContain(String(MARK));
  }
});
