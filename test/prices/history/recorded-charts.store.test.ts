import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, spreadsheetTime } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const NAMES = {
  minute: 'market_chart_bitcoin_days1_5min_2021-05-15.json',
  hour: 'market_chart_bitcoin_days30_hourly_2021-05-15.json',
  day: 'market_chart_bitcoin_days90_interval-daily_2021-05-15.json',
};
type Interval = keyof typeof NAMES;
type Column = [at: number, value: number | null][];
type Chart = { prices: Column; market_caps: Column; total_volumes: Column };

const recorded = (interval: Interval) => JSON.parse(String(recording('coingecko', NAMES[interval]).body)) as Chart;
const ascending = (column: Column) => [...column].sort((a, b) => a[0] - b[0]);

let upstream: UpstreamServer;
let service: Service;
let clock: TestClock;
let key: string;
beforeEach(async () => {
  upstream = await startUpstreamServer(({ path, query }) => {
    if (!path.endsWith('/coins/bitcoin/market_chart')) return { status: 404, body: '{"error":"coin not found"}' };
    const interval = query.interval === 'daily' ? 'day' : query.days === '1' ? 'minute' : 'hour';
    return recording('coingecko', NAMES[interval]);
  });
});
afterEach(async () => {
  await service.close();
  await upstream.close();
});

/** The service at the time of a recording. */
async function startAt(interval: Interval) {
  clock = createTestClock(recording('coingecko', NAMES[interval]).headers.date ?? '');
  service = await startService({ settings: { COINGECKO_URL: upstream.url }, clock });
  key = await service.createUser();
}

type Series = ReturnType<typeof expected>;

async function request(path: string, accept = 'application/json', gaps: string | null = null) {
  const response = await service.get(`/v1/prices/history/${path}`, { key, headers: { accept } });
  expect(response.status).toBe(200);
  expect(response.headers.get('quotient-gaps')).toBe(gaps);
  return response;
}

/**
 * The expected series: each value at its own time, in whole seconds. If two values have the same second, the later
 * value is kept.
 */
function points(column: Column): { date: string; price: number }[] {
  const bySecond = new Map(ascending(column).map(([at, value]) => [new Date(at).toUTCString(), value]));
  return [...bySecond].flatMap(([date, price]) => (price === null ? [] : [{ date, price }]));
}

function expected(interval: Interval, from = Number.NEGATIVE_INFINITY) {
  const chart = recorded(interval);
  const since = (column: Column) => column.filter(([at]) => at >= from);
  return {
    prices: points(since(chart.prices)),
    market_cap: points(since(chart.market_caps)),
    total_volume: points(since(chart.total_volumes)),
  };
}

function expectedCsv(interval: Interval): string {
  const { prices, market_caps, total_volumes } = recorded(interval);
  const [caps, volumes] = [new Map(market_caps), new Map(total_volumes)];
  // The later of two samples in one second is kept.
  const lines = new Map(
    ascending(prices).map(([at, price]) => [
      spreadsheetTime(at),
      [spreadsheetTime(at), price, caps.get(at), volumes.get(at)].join(','),
    ]),
  );
  return ['date,price,market_cap,total_volume', ...lines.values(), ''].join('\r\n');
}

describe.runIf(haveRecordings)('recorded charts are served with exactly the recorded values', () => {
  test('the last day, in five-minute points', async () => {
    await startAt('minute');
    const [series] = (await (await request('days?tokenName=bitcoin&days=1')).json()) as [ReturnType<typeof expected>];
    expect(series).toEqual(expected('minute'));
    expect(series.prices).toHaveLength(287);
    const csv = await request('days?tokenName=bitcoin&days=1', 'text/csv');
    expect(await csv.text()).toBe(expectedCsv('minute'));
    expect(upstream.calls.filter(({ path }) => path.endsWith('market_chart'))).toHaveLength(1);
  });

  test('thirty days, in hours', async () => {
    await startAt('hour');
    const path = 'date/range?tokenName=bitcoin&fromDate=2021-04-15&thruDate=2021-05-15&interval=hourly';
    // Four hours have no sample, because some samples are almost two hours apart. They are no gaps.
    const before = '2021-04-15T00:00:00.000Z/2021-04-15T14:59:59.999Z';
    const series = (await (await request(path, 'application/json', before)).json()) as Series;
    expect(series).toEqual(expected('hour'));
    expect(series.prices).toHaveLength(722);
    expect(await (await request(path, 'text/csv', before)).text()).toBe(expectedCsv('hour'));
    const [ten] = (await (await request('days?tokenName=bitcoin&days=10')).json()) as [Series];
    expect(ten).toEqual(expected('hour', clock.now() - 10 * DAY));
    expect(upstream.calls.filter(({ path }) => path.endsWith('market_chart'))).toHaveLength(1);
  });

  test('ninety days and now', async () => {
    await startAt('day');
    const [series] = (await (await request('days?tokenName=bitcoin&days=90')).json()) as [Series];
    expect(series).toEqual(expected('day'));
    expect(series.prices).toHaveLength(91);
    expect(await (await request('days?tokenName=bitcoin&days=90', 'text/csv')).text()).toBe(expectedCsv('day'));
    const range = 'date/range?tokenName=bitcoin&fromDate=2021-02-15&thruDate=2021-05-15';
    expect(await (await request(range)).json()).toEqual(expected('day'));
    const [snapshot] = (await (await request('date?tokenName=bitcoin&date=01-04-2021')).json()) as [object];
    const of = (column: Column) => new Map(column).get(Date.parse('2021-04-01'));
    const { prices, market_caps, total_volumes } = recorded('day');
    expect(snapshot).toEqual({
      current_price: of(prices),
      market_cap: of(market_caps),
      total_volume: of(total_volumes),
    });
    expect(upstream.calls.filter(({ path }) => path.endsWith('market_chart'))).toHaveLength(1);
  });
});
