import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordTraces } from '../../support/recording-tracer.ts';
import { openEvents } from '../../support/service/event-stream.ts';
import { METRICS_ON, openScrape, requestsOf, type Scrape } from '../../support/service/metrics.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { storePrice } from '../../support/service/store-price.ts';

const PATH = '/v1/prices/stream';
let traces: ReturnType<typeof recordTraces>;
let service: Service;
let scrape: Scrape;
beforeAll(async () => {
  // The server checks for a tracer when it is created.
  traces = recordTraces();
  const settings = { BURST_PER_SECOND: '0', COINGECKO_REFRESH: 'latest=1h', LOG_REQUESTS: 'all' };
  service = await startService({ settings: { ...METRICS_ON, ...settings } });
  scrape = await openScrape(service);
});
afterAll(async () => {
  traces?.close();
  await scrape?.close();
  await service?.close();
});

/** The lines about completed streams. */
const logged = () =>
  service.logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg, route }) => msg === 'request completed' && route === PATH);

it('a stream is counted, traced and logged when it starts, and its end is neither slow nor a failure', async () => {
  const key = await service.createUser();
  const stream = await openEvents(`${service.url}${PATH}?tokenNames=bitcoin`, { key });
  await stream.received(1);
  const open = await scrape.series();
  expect(requestsOf(open)).toMatchObject({ [`GET 200 ${PATH}`]: 1 });
  expect(open.get('quotient_streams_open')).toBe(1);
  const spans = () => traces.ended.filter(({ attributes }) => attributes['http.route'] === PATH);
  expect(spans()).toHaveLength(1);
  expect(logged()).toMatchObject([{ status: 200, reqId: stream.headers['x-request-id'] }]);

  await storePrice(service.database, 'bitcoin', 5);
  await service.parts.poll();
  await stream.received(2);
  expect((await scrape.series()).get('quotient_stream_events_total')).toBe(2);
  stream.close();
  await expect.poll(async () => (await scrape.series()).get('quotient_streams_open')).toBe(0);

  const closed = await scrape.series();
  expect(requestsOf(closed)).toMatchObject({ [`GET 200 ${PATH}`]: 1 });
  expect(closed.get('quotient_responses_total{result="failed"}')).toBe(0);
  expect(closed.get('quotient_stream_conflated_total')).toBe(0);
  expect(closed.get('quotient_streams_cut_total')).toBe(0);
  expect(logged()).toHaveLength(1);
  expect(spans()).toEqual([
    expect.objectContaining({
      isFailed: false,
      attributes: expect.objectContaining({ 'http.response.status_code': 200 }),
    }),
  ]);
});

it('the problem of a stream counts as a problem', async () => {
  const key = await service.createUser();
  const stream = await openEvents(`${service.url}${PATH}?tokenNames=bitcoin`, { key });
  await stream.received(1);
  const series = 'quotient_problems_total{code="api_key_revoked"}';
  const before = (await scrape.series()).get(series) ?? 0;
  await fetch(`${service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
  await stream.ended();
  expect((await scrape.series()).get(series)).toBe(before + 1);
});
