import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { openProcess } from '../../support/service/market.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const [FROM, THRU] = [date('2026-05-12'), date('2026-05-13')];

let clock: TestClock;
let upstream: UpstreamServer;
let database: TestDatabase;
let running: Awaited<ReturnType<typeof openProcess>>;
/** Kraken's name of the pair, its status, and the hours that its responses omit or that are malformed. */
let state: { name: string; status: string | undefined; omitted: readonly number[]; malformed: readonly number[] };

function respond(path: string, query: Record<string, string>): unknown {
  const { name, status, omitted, malformed } = state;
  // A renamed pair keeps its old name as one of its other names.
  const pair = { altname: name === 'XXBTZUSD' ? 'XBTUSD' : 'XXBTZUSD', wsname: 'XBT/USD', status };
  if (path.endsWith('/AssetPairs'))
    return { error: [], result: status === undefined ? { OTHER: pair } : { [name]: pair } };
  if (status === undefined || query.pair !== name) return { error: ['EQuery:Unknown asset pair'] };
  if (path.endsWith('/Ticker')) return { error: [], result: { [name]: { c: ['2', '1'] } } };
  const current = Math.floor(clock.now() / HOUR) * HOUR;
  const rows: unknown[] = [];
  for (let at = current - 720 * HOUR; at <= current; at += HOUR) {
    if (omitted.includes(at)) continue;
    rows.push(malformed.includes(at) ? [at / 1000, 'NaN'] : [at / 1000, '2', '2', '2', '2', '2', '1', 1]);
  }
  return { error: [], result: { [name]: rows, last: (current - HOUR) / 1000 } };
}

beforeEach(async () => {
  clock = createTestClock('2026-05-15T12:00:10Z');
  state = { name: 'XXBTZUSD', status: 'online', omitted: [], malformed: [] };
  upstream = await startUpstreamServer(({ path, query }) =>
    path.startsWith('/0/public')
      ? { body: JSON.stringify(respond(path, query)) }
      : { status: 503, body: JSON.stringify({ error: 'down' }) },
  );
  database = await openTestDatabase();
  const env = { COINGECKO_URL: upstream.url, KRAKEN_URL: `${upstream.url}/0/public`, UPSTREAM_TIMEOUT_MS: '2000' };
  running = await openProcess(database, clock, env);
});
afterEach(async () => {
  await running.close();
  await database.close();
  await upstream.close();
});

const hours = async () => running.candles.range('bitcoin', 'hourly', FROM, THRU, 'json');
const count = ({ body }: Awaited<ReturnType<typeof hours>>) => JSON.parse(String(body.identity.payload)).length;
const calls = (path: string) => upstream.calls.filter((call) => call.path.endsWith(path)).length;

describe('a candle that is', () => {
  const lacking = FROM + 5 * HOUR;
  const gaps = ['2026-05-12T05:00:00.000Z/2026-05-12T05:59:59.999Z'];

  test.each(['omitted', 'malformed'] as const)(
    '%s is a gap, and is requested again after growing pauses',
    async (fault) => {
      state = { ...state, [fault]: [lacking] };
      const first = await hours();
      expect(first).toMatchObject({ gaps, isImmutable: false });
      expect(count(first)).toBe(47);
      const times: number[] = [];
      for (let passed = HOUR / 2; passed <= 9 * HOUR; passed += HOUR / 2) {
        clock.advance(HOUR / 2);
        const before = calls('/OHLC');
        await hours();
        if (calls('/OHLC') > before) times.push(passed / HOUR);
      }
      expect(times).toEqual([1, 2, 4, 8]);
      state = { ...state, [fault]: [] };
      clock.advance(8 * HOUR);
      await hours();
      expect(await hours()).toMatchObject({ gaps: [], isImmutable: true });
    },
  );

  test('missing does not claim the time before the candles that Kraken keeps', async () => {
    state = { ...state, omitted: [lacking] };
    await hours();
    const old = running.candles.range('bitcoin', 'hourly', date('2026-01-01'), date('2026-01-01'), 'json');
    await expect((async () => old)()).rejects.toMatchObject({
      code: 'no_data',
      members: { gaps: [expect.any(String)] },
    });
  });
});

describe('while Kraken lists the pair as', () => {
  test.each(['cancel_only', 'work_in_progress'])('%s, past candles are served', async (status) => {
    state.status = status;
    expect(await hours()).toMatchObject({ gaps: [], isImmutable: true });
  });

  test.each(['limit_only', 'reduce_only'])('%s, its latest price is served', async (status) => {
    state.status = status;
    expect((await running.market.latest('bitcoin')).source).toMatch(/^kraken/);
  });

  test('cancel_only, its latest price is unavailable until five minutes after the maintenance', async () => {
    state.status = 'cancel_only';
    await expect((async () => running.market.latest('bitcoin'))()).rejects.toMatchObject({ status: 503 });
    expect(calls('/Ticker')).toBe(0);
    state.status = 'online';
    clock.advance(5 * MINUTE);
    expect((await running.market.latest('bitcoin')).source).toMatch(/^kraken/);
  });
});

test('a pair that Kraken does not list is unavailable, and is served once it is listed again', async () => {
  state.status = undefined;
  const unavailable = { code: 'upstream_unavailable', status: 503, headers: { 'retry-after': '300' } };
  await expect(hours()).rejects.toMatchObject(unavailable);
  state.status = 'online';
  clock.advance(5 * MINUTE);
  expect(await hours()).toMatchObject({ gaps: [], isImmutable: true });
});

describe('a renamed pair', () => {
  test('is found by its other names', async () => {
    state.name = 'BTCUSD';
    expect(await hours()).toMatchObject({ gaps: [], isImmutable: true });
    expect((await running.market.latest('bitcoin')).source).toMatch(/^kraken/);
  });

  test('is found at once although the last list has its old name', async () => {
    await hours();
    state.name = 'BTCUSD';
    clock.advance(6 * MINUTE);
    const day = running.candles.range('bitcoin', 'hourly', date('2026-05-10'), date('2026-05-10'), 'json');
    expect(await day).toMatchObject({ gaps: [] });
    clock.advance(20 * MINUTE);
    const today = await running.candles.range('bitcoin', 'minute', date('2026-05-15'), date('2026-05-15'), 'json');
    expect(today.outcome.failure).toBeUndefined();
    expect(calls('/AssetPairs')).toBe(2);
  });
});
