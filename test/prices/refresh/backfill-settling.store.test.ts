import { describe, expect, test } from 'vitest';
import { createTestClock } from '../../../fixtures/clock.ts';
import { received } from '../../support/service/market.ts';
import { chartOf, useScriptedMarkets } from '../../support/service/scripted-markets.ts';

type Charts = { minutes?: [time: string, price: number][]; days?: [time: string, price: number][] };

let charts: Charts = {};
const markets = useScriptedMarkets(({ query }) => {
  const points = (query.interval === 'daily' ? charts.days : charts.minutes) ?? [];
  return { body: chartOf(points.map(([time, price]) => [Date.parse(time), price])) };
});
type Market = Awaited<ReturnType<typeof markets.open>>['market'];

const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

/** A market at an instant, whose CoinGecko responds only as set up. */
async function openAt(now: string) {
  const clock = createTestClock(now);
  const { market } = await markets.open(clock, { COINGECKO_REFRESH: 'latest=300h,chart=1h' });
  return {
    clock,
    /** The points of a response by their times, after all fetches have completed. */
    async points(now: string, coinGecko: Charts, ask: (market: Market) => ReturnType<typeof market.days>) {
      clock.goTo(now);
      charts = coinGecko;
      await ask(market);
      await market.idle();
      const { prices } = received(await ask(market));
      return prices.map(({ date: at, price }) => [new Date(at).toISOString().slice(5, 19), price]);
    },
  };
}

test('an unsettled minute is replaced by the next response, unless samples are missing; a settled one never changes', async () => {
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
  const minutes = (market: Market) => market.days('bitcoin', 1, 'json');
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
    ['05-15T13:59:00', 5],
    ['05-15T14:59:00', 600],
  ]);

  const third: Charts = {
    minutes: [
      ['2026-05-15T13:38:00Z', 8],
      ['2026-05-15T13:45:00Z', 9],
      ['2026-05-15T16:00:00Z', 7],
    ],
  };
  expect(await points('2026-05-15T17:00:00Z', third, minutes)).toEqual([
    ['05-15T10:00:01', 1],
    ['05-15T11:59:59', 2],
    ['05-15T12:00:01', 300],
    ['05-15T13:31:00', 400],
    ['05-15T13:38:00', 8],
    ['05-15T13:45:00', 9],
    ['05-15T13:59:00', 5],
    ['05-15T14:59:00', 600],
    ['05-15T16:00:00', 7],
  ]);
});

test('hours are the first samples of their slots, and are settled in the same way', async () => {
  const { points } = await openAt('2026-05-15T14:00:00Z');
  const today = (market: Market) => market.range('bitcoin', 'hour', date('2026-05-15'), date('2026-05-15'), 'json');
  const minutes = (market: Market) => market.days('bitcoin', 1, 'json');
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
  const range = (market: Market) => market.range('bitcoin', 'day', date('2026-05-13'), date('2026-05-15'), 'json');
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
  const range = (market: Market) => market.range('bitcoin', 'day', date('2026-05-13'), date('2026-05-15'), 'json');
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

test('a series without a midnight is a failure of the source, and is requested again', async () => {
  const { points, clock } = await openAt('2026-05-15T00:45:00Z');
  const range = (market: Market) => market.range('bitcoin', 'day', date('2026-05-13'), date('2026-05-15'), 'json');
  const days: Charts['days'] = ['2026-05-13T11:00:00Z', '2026-05-14T11:00:00Z', '2026-05-15T00:44:30Z'].map((at) => [
    at,
    5,
  ]);
  await expect(points('2026-05-15T00:45:00Z', { days }, range)).rejects.toMatchObject({ code: 'upstream_invalid' });
  clock.advance(2000);
  const midnights: Charts['days'] = [
    ['2026-05-12T23:59:51Z', 1],
    ['2026-05-13T23:59:00Z', 2],
    ['2026-05-14T23:59:00Z', 3],
    ['2026-05-15T00:44:30Z', 5],
  ];
  expect(await points('2026-05-15T00:46:00Z', { days: midnights }, range)).toEqual([
    ['05-13T00:00:00', 1],
    ['05-14T00:00:00', 2],
    ['05-15T00:00:00', 3],
    ['05-15T00:44:30', 5],
  ]);
});

describe('the newest sample of the daily series', () => {
  const NOW = '2026-05-15T10:20:00Z';
  const today = date('2026-05-15');
  const days: Charts['days'] = [
    ['2026-05-14T00:00:00Z', 1],
    ['2026-05-15T00:00:00Z', 2],
    ['2026-05-15T10:19:00Z', 3],
  ];
  const daily = (market: Market) => market.days('bitcoin', 30, 'json');
  const hours = (market: Market) => market.range('bitcoin', 'hour', today, today, 'json');

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
