import { beforeEach, expect, it, vi } from 'vitest';
import { QuotientError, type Token } from '#client/index';
import type { Context } from '#console/context';
import { createHistoryStore } from '#console/history/store';
import { DAY } from '#core/clock';

const available = {
  prices: { minute: '2026-11-26', hour: '2025-11-28', day: '2013-04-28' },
  candles: { minute: '2026-11-26', hour: '2026-10-28', day: '2024-12-08' },
};
const tokenOf = (tokenName: string, paths: Token['endpoints'] = ['/v1/prices/history/ohlc']): Token => ({
  ...{ tokenName, symbol: tokenName.slice(0, 3), title: tokenName.toUpperCase(), listed: '2013-04-28', available },
  ...{ endpoints: paths, inactive: false, lastPriceAt: null, successor: null, archive: {} as Token['archive'] },
});
const [one, two, three] = [tokenOf('one'), tokenOf('two'), tokenOf('three', [])];

const points = [1, 2, 3, 4].map((price) => ({ date: new Date(price * DAY), price }));
const result = (parts: object = {}) => ({
  value: { prices: points, market_cap: points, total_volume: points },
  ...{ fetchedAt: undefined, stale: undefined, gaps: [], sources: [], ...parts },
});

let requests: string[];
let respond: (path: string) => Promise<object>;
let free: object | undefined;
const views = vi.fn();
const report = vi.fn();
let store: ReturnType<typeof createHistoryStore>;

beforeEach(() => {
  requests = [];
  free = undefined;
  respond = async () => result();
  const context = {
    marketData: {
      fetch({ path }: { path: string }) {
        requests.push(path);
        return respond(path);
      },
      free: async () => free,
    },
    currency: { code: 'usd' },
    failures: { open: () => ({ report, clear: () => undefined }) },
  };
  store = createHistoryStore(context as unknown as Context, () => undefined, views);
  store.setTokens([one, two, three]);
  store.select(one, []);
});
const drawnPoints = () => store.drawn.value?.points.length;

it('offers a chart that is not free, and loads it on request', async () => {
  await store.load({ isFree: true });
  expect([store.isNotLoaded.value, store.state.value, store.cost(), drawnPoints()]).toEqual([
    true,
    expect.stringMatching(/^Not loaded\. The free sample is/),
    0,
    undefined,
  ]);
  await store.load();
  expect([store.isNotLoaded.value, store.state.value, store.cost(), drawnPoints()]).toEqual([false, '', 1, 4]);
  free = result({ isSample: true });
  await store.load({ isFree: true });
  expect([store.isSample.value, store.costOfOneMore.value]).toEqual([true, 2]);
});

it('draws another metric, mode or scale of the same response without a call', async () => {
  await store.load();
  store.position.zoom(2);
  const part = store.position.part.value;
  store.choose({ scale: 'log' });
  expect(store.position.part.value).toBe(part);
  store.choose({ metric: 'market_cap' });
  expect(store.drawn.value?.view).toMatchObject({ metric: 'market_cap', scale: 'log' });
  expect(requests).toHaveLength(1);
  store.choose({ metric: 'candles' });
  store.choose({ range: '7' });
  store.choose({ interval: '4h' });
  expect(requests.slice(1).map((path) => path.split('interval=')[1])).toEqual(['daily', 'hourly', '4h']);
  expect(views).toHaveBeenLastCalledWith(expect.objectContaining({ metric: 'candles', range: '7', interval: '4h' }));
});

it('drops the response of an earlier load, and never shows the figures of another token', async () => {
  const first = Promise.withResolvers<object>();
  respond = () => first.promise;
  const load = store.load();
  respond = async () => result();
  store.select(two, []);
  await store.load();
  first.resolve(result({ value: { prices: [], market_cap: [], total_volume: [] } }));
  await load;
  expect([store.titles.value, drawnPoints(), store.isLoading.value]).toEqual(['TWO', 4, false]);
  store.select(one, []);
  respond = () => new Promise(() => undefined);
  void store.load();
  expect([store.drawn.value, store.state.value]).toEqual([undefined, 'Loading…']);
});

it('reuses the shown lines if a token is added, and shows only metrics that all tokens have', async () => {
  await store.load();
  store.choose({ metric: 'total_volume' });
  expect(store.metricFault('candles')).toBe('');
  store.add('two');
  await vi.waitFor(() => expect(store.isLoading.value).toBe(false));
  expect([requests.length, store.view.value.metric, store.view.value.compare]).toEqual([2, 'prices', ['two']]);
  expect(store.metricFault('candles')).toBe(
    'Only prices and market caps can be compared. Remove all tokens except ONE.',
  );
  expect(store.tokenFault('TWO')).toBe('The chart already shows TWO.');
  store.select(three, []);
  expect(store.metricFault('candles')).toBe('No candles are available for THREE.');
});

it('reports an error, keeps earlier figures with their failure, and explains missing data', async () => {
  const error = new QuotientError('upstream_unavailable', 'The source is unreachable.', { status: 503 });
  respond = async () => result({ failure: error });
  await store.load();
  expect(report).toHaveBeenLastCalledWith(error, expect.any(Function), true);
  expect(drawnPoints()).toBe(4);
  respond = () => Promise.reject(error);
  await store.load();
  expect(report).toHaveBeenLastCalledWith(error, expect.any(Function));
  expect([drawnPoints(), store.state.value]).toEqual([undefined, 'No data.']);
  const reports = report.mock.calls.length;
  store.choose({ range: 'custom', from: '2009-01-01', thru: '2009-02-01' });
  await vi.waitFor(() => expect(store.unavailable.value?.token).toBe(one));
  expect(report).toHaveBeenCalledTimes(reports);
});

it('limits dates to those with data', () => {
  expect(store.dateFault('2013-04-27')).toBe('Prices are available from Apr 28, 2013.');
  store.choose({ metric: 'candles' });
  expect(store.dateFault('2013-04-28')).toBe('Candles are available from Dec 8, 2024.');
  expect([store.dateFault('2999-01-01'), store.dateFault('')]).toEqual(['This date is in the future.', '']);
});
