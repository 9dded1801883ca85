import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

let clock: TestClock;
let opened: TestMarket;
let processes: Pick<TestMarket, 'market' | 'rates'>[];
beforeEach(async () => {
  clock = createTestClock('2026-05-15T12:00:00Z');
  opened = await openTestMarket(clock, { env: { UPSTREAM_TIMEOUT_MS: '20000' } });
  processes = [opened, await opened.openAnother(), await opened.openAnother()];
});
afterEach(() => opened.close());

const calls = () => opened.sandbox.calls.filter(({ path }) => path.includes('EXR')).length;

/** The response of each process for a currency, requested concurrently. */
const requested = (...currencies: string[]) =>
  Promise.all(
    processes.flatMap(({ market }) =>
      currencies.map(async (currency) => (await market.latest('solana', currency)).currency),
    ),
  );

test('all processes together make one call, for any request, and respond identically', async () => {
  const received = await requested('eur', 'jpy', 'chf');
  expect(new Set(received).size).toBe(3);
  expect(calls()).toBe(1);

  // Includes the next publication, which each process finds due.
  clock.advance(4 * HOUR);
  await requested('eur');
  await Promise.all(processes.map(({ rates }) => rates.idle()));
  clock.advance(2000);
  await requested('eur');
  await Promise.all(processes.map(({ rates }) => rates.idle()));
  clock.advance(2000);
  const later = await requested('eur');
  expect(later[0]).toContain('on=2026-05-15');
  expect(new Set(later).size).toBe(1);
  expect(calls()).toBe(2);
});
