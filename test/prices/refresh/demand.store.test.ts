import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());

async function openAt(now: string, options: Parameters<typeof openTestMarket>[1] = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, options);
  const { sandbox } = opened;
  /** The tokens of each call for latest prices since the last reading. Each call contains bitcoin as its witness. */
  async function requested(work: () => unknown): Promise<string[]> {
    const before = sandbox.calls.length;
    await work();
    await opened.market.idle();
    const calls = sandbox.calls.slice(before).filter(({ path }) => path.endsWith('/coins/markets'));
    return calls.map(({ query }) => query.ids as string);
  }
  return { ...opened, clock, requested };
}

test('the latest prices of all tokens requested within the hour are fetched in one call', async () => {
  const { clock, market, another, poll, requested } = await openAt('2026-05-15T14:42:25Z');
  const other = await another();
  expect(await requested(() => market.latest('solana'))).toEqual(['solana,bitcoin']);
  expect(await requested(() => other.latest('bitcoin'))).toEqual(['bitcoin,solana']);
  clock.advance(50 * MINUTE);
  expect(await requested(() => market.days('ethereum', 30, 'json'))).toEqual([]);
  await poll();
  expect(await requested(() => other.latest('bitcoin'))).toEqual(['bitcoin,ethereum,solana']);
  clock.advance(11 * MINUTE);
  await poll();
  expect(await requested(() => market.latest('ethereum'))).toEqual(['bitcoin,ethereum']);
});

test('a clock that was ahead neither keeps tokens in demand nor hides later requests', async () => {
  const { clock, market, another, poll, requested } = await openAt('2026-05-15T14:42:25Z');
  const other = await another();
  clock.set(300 * DAY);
  for (const token of ['bitcoin', 'solana']) await market.latest(token);
  clock.set(-300 * DAY);
  clock.advance(2 * HOUR);
  expect(await requested(() => market.latest('bitcoin'))).toEqual(['bitcoin']);
  clock.advance(6 * MINUTE);
  await poll();
  expect(await requested(() => other.latest('ethereum'))).toEqual(['bitcoin,ethereum']);
});

test('a token without recent requests is fetched before the others are due, if calls remain', async () => {
  const { clock, market, requested } = await openAt('2026-05-15T14:42:25Z', { plan: 'demo' });
  await market.latest('solana');
  clock.advance(2 * HOUR);
  expect(await requested(() => market.latest('bitcoin'))).toEqual(['bitcoin']);
  // 300 calls are left for early fetches: one in several minutes.
  const early = market.staleness().find(({ token, kind }) => token === 'solana' && kind === 'latest');
  expect(early?.age).toBe(2 * HOUR);
  clock.advance(10 * SECOND);
  expect(await requested(() => market.latest('solana'))).toEqual([]);
  expect((await market.latest('solana')).outcome).toMatchObject({ fetched: false, failure: undefined });
  clock.advance(5 * MINUTE);
  expect(await requested(() => market.latest('solana'))).toEqual(['bitcoin,solana']);
  clock.advance(5 * MINUTE);
  expect(await requested(() => market.latest('solana'))).toEqual([]);
});

test('requested charts count in the schedule, and others do not', async () => {
  const env = { COINGECKO_CALLS_PER_MONTH: '5000' };
  const { clock, market } = await openAt('2026-05-01T00:42:25Z', { plan: 'demo', env });
  await market.latest('bitcoin');
  const every = () => market.staleness().find(({ kind }) => kind === 'latest')?.every as number;
  const alone = every();
  for (const token of ['bitcoin', 'ethereum', 'solana']) await market.days(token, 1, 'json');
  expect(every()).toBeGreaterThan(alone * 1.02);
  clock.advance(26 * HOUR);
  await market.latest('bitcoin');
  await market.idle();
  expect(every()).toBeLessThan(alone * 1.02);
});
