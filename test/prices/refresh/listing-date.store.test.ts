import { describe, expect, it } from 'vitest';
import { DAY, isoDate } from '#core/clock';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { Market } from '#prices/open-market';
import { createTestClock } from '../../../fixtures/clock.ts';
import { chartOf, useScriptedMarkets } from '../../support/service/scripted-markets.ts';

const NOW = '2026-05-15T14:42:25.300Z';
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const HOUR_OF_DECEMBER = Date.parse('2019-12-01T05:03:00Z');

/** A CoinGecko whose history of arweave starts 91 days before the service's listing date. */
const DAYS = ['2019-11-01', '2019-12-01', '2020-01-31', '2026-05-15'].map(date);
const markets = useScriptedMarkets(({ query }) => {
  const from = query.days === 'max' ? 0 : Date.parse(NOW) - Number(query.days) * DAY;
  const times = query.interval === 'daily' ? DAYS.filter((at) => at >= from) : [HOUR_OF_DECEMBER];
  return { body: chartOf(times.map((at) => [at, 2.5])) };
});
/** Opens a process, on the database of the test's other processes. */
const open = async (plan = 'pro') => (await markets.open(createTestClock(NOW), { COINGECKO_PLAN: plan })).market;

const listed = async (market: Market) => {
  const tokens = await market.tokens();
  return tokens.flatMap(({ token, listedAt }) => (token.name === 'arweave' ? isoDate(listedAt) : []));
};
/** The result of each request: the number of points, or the problem. */
async function responses(market: Market, requests: readonly ((market: Market) => unknown)[]) {
  const received: unknown[] = [];
  for (const send of requests) {
    received.push(
      await Promise.resolve(send(market)).then(
        () => 200,
        ({ status, members }) => [status, members],
      ),
    );
  }
  return received;
}

const ASKS = {
  early: (market: Market) => market.date('arweave', date('2019-11-01'), 'json'),
  hours: (market: Market) => market.range('arweave', 'hour', date('2019-12-01'), date('2019-12-01'), 'json'),
  before: (market: Market) => market.date('arweave', date('2019-10-31'), 'json'),
  lately: (market: Market) => market.days('arweave', 30, 'json'),
  range: (market: Market) => market.range('arweave', 'day', date('2019-11-01'), date('2019-11-02'), 'json'),
};
const { early, hours, before, lately, range } = ASKS;
const NO_DATA = [404, {}];

describe('a token whose history starts before its listing date', () => {
  it.each([
    [
      [early, hours, before, lately, range],
      [200, 200, NO_DATA, 200, 200],
    ],
    [
      [lately, range, before, hours, early],
      [200, 200, NO_DATA, 200, 200],
    ],
    [
      [before, range, hours, early, lately],
      [NO_DATA, 200, 200, 200, 200],
    ],
    [
      [hours, before, early, lately, range],
      [200, NO_DATA, 200, 200, 200],
    ],
  ])('has the same responses, whatever was requested first (%#)', async (requests, expected) => {
    const callsBefore = markets.calls().length;
    const first = await open();
    expect(await responses(first, requests)).toEqual(expected);
    expect(await responses(await open('pro'), requests)).toEqual(expected);
    expect(await listed(first)).toEqual(['2019-11-01']);
    const daily = markets
      .calls()
      .slice(callsBefore)
      .filter(({ query }) => query.interval === 'daily');
    expect(daily.map(({ query }) => query.days)).toEqual(['max']);
    const response = await first.range('arweave', 'day', date('2019-10-01'), date('2019-12-01'), 'json');
    expect(response).toMatchObject({ gaps: ['2019-11-02/2019-11-30'], isImmutable: false });
  });

  it('counts as listed from its listing date if the plan does not reach further back', async () => {
    const market = await open('demo');
    expect(await responses(market, [early, lately, early])).toEqual([NO_DATA, 200, NO_DATA]);
    expect(await listed(market)).toEqual(['2020-01-31']);
  });

  it('counts as listed from the first day in the archive, in every process', async () => {
    const first = await open('demo');
    expect(await listed(first)).toEqual(['2020-01-31']);
    const row = {
      at: Date.parse('2019-11-03T00:05:00Z'),
      price: 1,
      marketCap: null,
      volume: null,
      final: true,
    };
    const covers = { from: date('2019-11-03'), thru: date('2019-11-04') - 1 };
    const update = { interval: 'day', rows: [row], covers } as const;
    await createArchiveStore(markets.prisma()).record(
      'coingecko',
      'import:arweave',
      'arweave',
      [update],
      Date.parse(NOW),
    );
    const requests = [
      (market: Market) => market.date('arweave', date('2019-11-03'), 'json'),
      (market: Market) => market.date('arweave', date('2019-11-02'), 'json'),
      (market: Market) => market.date('arweave', date('2019-11-04'), 'json'),
    ];
    for (const market of [first, await open('demo'), await open('demo')]) {
      expect(await listed(market)).toEqual(['2019-11-03']);
      expect(await responses(market, requests)).toEqual([200, NO_DATA, [503, { gaps: ['2019-11-04/2019-11-04'] }]]);
    }
  });
});
