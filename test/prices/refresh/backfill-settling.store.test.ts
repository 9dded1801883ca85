import { afterEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { openProcess, received } from '../../support/service/market.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

type Charts = { minutes?: [time: string, price: number][]; days?: [time: string, price: number][] };

let upstream: UpstreamServer;
let database: TestDatabase;
let running: Awaited<ReturnType<typeof openProcess>>;
afterEach(async () => {
  await running.close();
  await database.close();
  await upstream.close();
});

const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const dailyCalls = () => upstream.calls.filter(({ query }) => query.interval === 'daily').length;
const text = (points: [string, number][] = []) => {
  const column = points.map(([time, price]) => [Date.parse(time), price]);
  return JSON.stringify({ prices: column, market_caps: column, total_volumes: column });
};

/** A market at an instant, whose CoinGecko responds only as set up. */
async function openAt(now: string) {
  const clock = createTestClock(now);
  let charts: Charts = {};
  upstream = await startUpstreamServer(({ query }) => ({
    body: query.interval === 'daily' ? text(charts.days) : text(charts.minutes),
  }));
  database = await openTestDatabase();
  running = await openProcess(database, clock, {
    COINGECKO_URL: upstream.url,
    COINGECKO_REFRESH: 'latest=300h,chart=1h',
  });
  const { market } = running;
  return {
    clock,
    /** The points of a response by their times, after all fetches have completed. */
    async points(now: string, coinGecko: Charts, ask: (one: typeof market) => ReturnType<typeof market.days>) {
      clock.goTo(now);
      charts = coinGecko;
      await ask(market);
      await market.idle();
      const { prices } = received(await ask(market));
      return prices.map(({ date: at, price }) => [new Date(at).toISOString().slice(5, 19), price]);
    },
  };
}

test('an unsettled minute is replaced by the next response; a settled one never changes', async () => {
  const { points } = await openAt('2026-05-15T14:00:00Z');
  const first: Charts = {
    minutes: [
      ['2026-05-15T10:00:01Z', 1],
      ['2026-05-15T11:59:59Z', 2],
      ['2026-05-15T12:00:01Z', 3],
      ['2026-05-15T13:30:00Z', 4],
      ['2026-05-15T13:59:00Z', 5],
    ],
  };
  const minutes = (market: typeof running.market) => market.days('bitcoin', 1, 'json');
  expect((await points('2026-05-15T14:00:00Z', first, minutes)).map(([, price]) => price)).toEqual([1, 2, 3, 4, 5]);

  const second: Charts = {
    minutes: [
      ['2026-05-15T10:00:01Z', 100],
      ['2026-05-15T10:00:07Z', 101],
      ['2026-05-15T12:00:01Z', 300],
      ['2026-05-15T13:31:00Z', 400],
      ['2026-05-15T14:59:00Z', 600],
    ],
  };
  expect(await points('2026-05-15T15:30:00Z', second, minutes)).toEqual([
    ['05-15T10:00:01', 1],
    ['05-15T11:59:59', 2],
    ['05-15T12:00:01', 300],
    ['05-15T13:31:00', 400],
    ['05-15T14:59:00', 600],
  ]);

  const third: Charts = { minutes: [['2026-05-15T16:00:00Z', 7]] };
  expect(await points('2026-05-15T17:00:00Z', third, minutes)).toEqual([
    ['05-15T10:00:01', 1],
    ['05-15T11:59:59', 2],
    ['05-15T12:00:01', 300],
    ['05-15T16:00:00', 7],
  ]);
});

test('hours are the first samples of their slots, and are settled in the same way', async () => {
  const { points } = await openAt('2026-05-15T14:00:00Z');
  const today = (market: typeof running.market) =>
    market.range('bitcoin', 'hour', date('2026-05-15'), date('2026-05-15'), 'json');
  const minutes = (market: typeof running.market) => market.days('bitcoin', 1, 'json');
  await points(
    '2026-05-15T14:00:00Z',
    {
      minutes: [
        ['2026-05-15T11:04:00Z', 1],
        ['2026-05-15T11:09:00Z', 2],
        ['2026-05-15T13:03:00Z', 3],
      ],
    },
    minutes,
  );
  expect(await points('2026-05-15T14:00:00Z', {}, today)).toEqual([
    ['05-15T11:04:00', 1],
    ['05-15T13:03:00', 3],
  ]);
  await points(
    '2026-05-15T15:10:00Z',
    {
      minutes: [
        ['2026-05-15T11:02:00Z', 9],
        ['2026-05-15T13:01:00Z', 8],
        ['2026-05-15T15:05:00Z', 5],
      ],
    },
    minutes,
  );
  expect(await points('2026-05-15T15:10:00Z', {}, today)).toEqual([
    ['05-15T11:04:00', 1],
    ['05-15T13:01:00', 8],
    ['05-15T15:05:00', 5],
  ]);
});

test('a day fetched before 00:40 is replaced, and a day fetched later is kept', async () => {
  const { points } = await openAt('2026-05-15T00:36:00Z');
  const range = (market: typeof running.market) =>
    market.range('bitcoin', 'day', date('2026-05-13'), date('2026-05-15'), 'json');
  const days = (price: number, ...more: [string, number][]): Charts => ({
    days: [['2026-05-13T00:00:00Z', price], ['2026-05-14T00:00:00Z', price], ['2026-05-15T00:00:00Z', price], ...more],
  });
  const values = async (now: string, charts: Charts) => (await points(now, charts, range)).map(([, price]) => price);
  expect(await values('2026-05-15T00:36:00Z', days(10))).toEqual([10, 10, 10]);
  expect(await values('2026-05-15T00:41:00Z', days(11))).toEqual([10, 10, 11]);
  const next: [string, number] = ['2026-05-16T00:00:00Z', 12];
  expect(await values('2026-05-16T00:41:00Z', days(12, next))).toEqual([10, 10, 11]);
  expect(await values('2026-05-20T12:00:00Z', days(13, next))).toEqual([10, 10, 11]);
});

test('a response without a midnight does not make the requested days gaps', async () => {
  const { points } = await openAt('2026-05-15T00:45:00Z');
  const range = (market: typeof running.market) =>
    market.range('bitcoin', 'day', date('2026-05-13'), date('2026-05-15'), 'json');
  const now: [string, number] = ['2026-05-15T00:44:30Z', 5];
  expect(await points('2026-05-15T00:45:00Z', { days: [now] }, range)).toEqual([['05-15T00:44:30', 5]]);
  const charts: Charts = {
    days: [
      ['2026-05-13T00:00:00Z', 1],
      ['2026-05-14T00:00:00Z', 2],
      ['2026-05-15T00:00:00Z', 3],
    ],
  };
  const points2 = await points('2026-05-15T02:00:00Z', charts, range);
  expect(points2.map(([, price]) => price)).toEqual([1, 2, 3, 5]);
});

test('a date that the series omits is a gap once a later date exists, and is not requested again', async () => {
  const { points } = await openAt('2026-05-15T12:00:00Z');
  const range = (market: typeof running.market) =>
    market.range('bitcoin', 'day', date('2026-05-12'), date('2026-05-14'), 'json');
  const charts: Charts = {
    days: [
      ['2026-05-12T00:00:00Z', 1],
      ['2026-05-14T00:00:00Z', 2],
      ['2026-05-15T00:00:00Z', 3],
    ],
  };
  expect(await points('2026-05-15T12:00:00Z', charts, range)).toHaveLength(2);
  const calls = dailyCalls();
  expect(await points('2026-05-15T20:00:00Z', charts, range)).toHaveLength(2);
  expect(dailyCalls()).toBe(calls);
});

describe('the newest sample of the daily series', () => {
  const NOW = '2026-05-15T10:20:00Z';
  const today = date('2026-05-15');
  const days: Charts['days'] = [
    ['2026-05-14T00:00:00Z', 1],
    ['2026-05-15T00:00:00Z', 2],
    ['2026-05-15T10:19:00Z', 3],
  ];
  const daily = (market: typeof running.market) => market.days('bitcoin', 30, 'json');
  const hours = (market: typeof running.market) => market.range('bitcoin', 'hour', today, today, 'json');

  test('is the point of its hour', async () => {
    const { points } = await openAt(NOW);
    await points(NOW, { days }, daily);
    expect(await points(NOW, {}, hours)).toEqual([['05-15T10:19:00', 3]]);
  });

  test('is dropped if its hour has a point', async () => {
    const { points } = await openAt(NOW);
    const minutes: Charts['minutes'] = [
      ['2026-05-15T09:40:00Z', 4],
      ['2026-05-15T10:01:00Z', 5],
    ];
    await points(NOW, { minutes }, (market) => market.days('bitcoin', 1, 'json'));
    await points(NOW, { days }, daily);
    expect(await points(NOW, {}, hours)).toEqual([
      ['05-15T09:40:00', 4],
      ['05-15T10:01:00', 5],
    ]);
  });
});

test('days do not end with a sample that precedes the last of them', async () => {
  const { points } = await openAt('2026-05-10T10:20:00Z');
  const minutes: Charts['minutes'] = [['2026-05-10T10:01:00Z', 4]];
  await points('2026-05-10T10:20:00Z', { minutes }, (market) => market.days('bitcoin', 1, 'json'));
  const days: Charts['days'] = [
    ['2026-05-14T00:00:00Z', 1],
    ['2026-05-15T00:00:00Z', 2],
  ];
  expect(await points('2026-05-15T10:20:00Z', { days }, (market) => market.days('bitcoin', 30, 'json'))).toEqual([
    ['05-14T00:00:00', 1],
    ['05-15T00:00:00', 2],
  ]);
});
