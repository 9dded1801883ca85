import { expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { timesOf } from '../../support/service/market.ts';
import { chartOf, useScriptedMarkets } from '../../support/service/scripted-markets.ts';

const NOW = '2026-05-15T12:00:00Z';
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const [FROM, THRU] = [date('2026-05-08'), date('2026-05-13')];

let clock: TestClock;
/** Members of the response that differ from the sound ones. Undefined removes a member. */
let changes: object = {};
const markets = useScriptedMarkets(({ path, query }) => {
  if (path.endsWith('/markets'))
    return { body: JSON.stringify([{ id: 'bitcoin', current_price: 1, last_updated: NOW }]) };
  const today = Math.floor(clock.now() / DAY) * DAY;
  const days = Array.from({ length: Number(query.days) }, (_, i) => [today - i * DAY, 7] as const).reverse();
  return { body: chartOf(days, changes) };
});

test.each([
  [{ market_caps: undefined }, 'market_cap'],
  [{ market_caps: null }, 'market_cap'],
  [{ market_caps: {} }, 'market_cap'],
  [{ market_caps: [] }, 'market_cap'],
  [{ market_caps: 'later' }, 'market_cap'],
  [{ total_volumes: undefined }, 'total_volume'],
  [{ total_volumes: [[]] }, 'total_volume'],
])('a chart with %j is served, but its days are not final and are requested again', async (lacking, name) => {
  changes = lacking;
  clock = createTestClock(NOW);
  const { market } = await markets.open(clock, { MARKET_SOURCES: 'coingecko' });
  const range = () => market.range('bitcoin', 'day', FROM, THRU, 'json');
  const pointsOf = ({ body }: Awaited<ReturnType<typeof range>>) => JSON.parse(String(body.identity.payload))[name];
  const first = await range();
  expect(timesOf(first)).toHaveLength(6);
  expect(pointsOf(first)).toEqual([]);
  expect(first).toMatchObject({ isImmutable: false, gaps: ['2026-05-08/2026-05-13'] });

  changes = {};
  clock.advance(HOUR);
  const second = await range();
  expect(timesOf(second)).toHaveLength(6);
  expect(pointsOf(second)).toHaveLength(6);
  expect(second).toMatchObject({ isImmutable: true, gaps: [] });
});
