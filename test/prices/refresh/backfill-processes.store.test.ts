import { afterEach, expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const text = ({ body }: { body: { identity: { payload: string | Buffer } } }) => String(body.identity.payload);

const requests = (market: TestMarket['market']) => [
  () => market.latest('bitcoin'),
  () => market.days('bitcoin', 1, 'json'),
  () => market.days('bitcoin', 10, 'json'),
  () => market.days('bitcoin', 30, 'json'),
  () => market.range('bitcoin', 'hour', date('2025-06-01'), date('2025-06-03'), 'json'),
  () => market.range('bitcoin', 'minute', date('2026-05-14'), date('2026-05-15'), 'json'),
  () => market.date('bitcoin', date('2026-05-15'), 'csv'),
];

async function responsesOf(market: TestMarket['market']): Promise<string[]> {
  const texts: string[] = [];
  for (const one of requests(market)) texts.push(text(await one()));
  await market.idle();
  return texts;
}

test('after a restart, stored data is not requested, and the responses are the same', async () => {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  opened = await openTestMarket(clock);
  await responsesOf(opened.market);
  const before = await responsesOf(opened.market);
  const calls = opened.sandbox.countCalls();
  const restarted = await opened.another();
  expect(await responsesOf(restarted)).toEqual(before);
  expect(opened.sandbox.countCalls()).toBe(calls);
});

test('a process serves data that another process has fetched, without a call', async () => {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  opened = await openTestMarket(clock);
  const other = await opened.another();
  await responsesOf(opened.market);
  const first = await responsesOf(opened.market);
  const calls = opened.sandbox.countCalls();
  await responsesOf(other);
  expect(await responsesOf(other)).toEqual(first);
  expect(opened.sandbox.countCalls()).toBe(calls);
});

test('three processes with concurrent requests make one call', async () => {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  opened = await openTestMarket(clock);
  const markets = [opened.market, await opened.another(), await opened.another()];
  const days = () => Promise.all(markets.map((market) => market.days('bitcoin', 30, 'json')));
  const responses = await days();
  expect(new Set(responses.map(text)).size).toBe(1);
  expect(opened.sandbox.countCalls()).toBe(1);

  clock.goTo(date('2026-05-16') + 50 * MINUTE);
  await days();
  await Promise.all(markets.map((market) => market.idle()));
  expect(opened.sandbox.countCalls('/market_chart')).toBe(2);
  expect(opened.sandbox.countCalls('/coins/markets')).toBeLessThanOrEqual(1);
});

test('minutes that are no longer in memory are read from the database', async () => {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  opened = await openTestMarket(clock);
  await opened.market.days('bitcoin', 1, 'json');
  clock.advance(40 * DAY);
  const restarted = await opened.another();
  const response = await restarted.range('bitcoin', 'minute', date('2026-05-15'), date('2026-05-15'), 'json');
  const times = timesOf(response);
  expect(times.length).toBeGreaterThan(150);
  expect(times[0]).toBeGreaterThanOrEqual(date('2026-05-15'));
  expect(times.at(-1)).toBe(Date.parse('2026-05-15T14:42:25Z'));
  expect(response.gaps).toEqual(['2026-05-15T14:42:25.301Z/2026-05-15T23:59:59.999Z']);
});
