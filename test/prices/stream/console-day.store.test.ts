import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';

const HOURS = 4;
/** The demo plan allows 10,000 calls a month. */
const CALLS = ((10_000 / 31) * HOURS) / 24;
/** The console's own refresh, if it is switched on. */
const REFRESH = 5 * MINUTE;

let clock: TestClock;
let service: Service;
beforeAll(async () => {
  clock = createTestClock('2026-05-15T12:00:00Z');
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: { COINGECKO_PLAN: 'demo', COINGECKO_API_KEY: 'CG-sandbox' },
  });
});
afterAll(() => service?.close());

it('a console that is open for hours stays within the budget of the demo plan, and its prices follow the schedule', async () => {
  const { market, prices, catalogue, poll } = service.parts;
  const { publisher } = prices;
  const tokens = catalogue.all().slice(0, 10);
  const calls = (path: RegExp) => service.sandbox.calls.filter((call) => path.test(call.path)).length;
  await market.latestOf(tokens);
  await market.days('bitcoin', 30, 'json');
  await market.idle();
  const first = calls(/\/api\/v3\//);

  const events: string[] = [];
  const subscribe = await publisher.open(tokens, 'usd');
  const unsubscribe = subscribe({ put: (token) => void events.push(token) });
  for (let passed = 0; passed < HOURS * HOUR; passed += MINUTE) {
    clock.advance(MINUTE);
    await publisher.job.run();
    if (passed % REFRESH === 0) {
      await market.latestOf(tokens);
      await market.days('bitcoin', 30, 'json');
    }
    await market.idle();
    await poll();
  }
  unsubscribe();

  expect(calls(/\/api\/v3\//) - first).toBeLessThanOrEqual(CALLS);
  // Every six minutes: the stream neither makes the schedule faster, nor lets the prices grow older.
  const refreshes = calls(/\/coins\/markets$/);
  expect(refreshes).toBeLessThanOrEqual(10 * HOURS + 1);
  expect(refreshes).toBeGreaterThan(10 * HOURS - 3);
  expect(events.filter((token) => token === 'bitcoin').length).toBeGreaterThan(8 * HOURS);
});
