import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { MINUTE, SECOND } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

const COINGECKO = '/api/v3/';
let clock: TestClock;
let opened: TestMarket;
let processes: Pick<TestMarket, 'market' | 'poll'>[];
beforeEach(async () => {
  clock = createTestClock('2026-05-15T14:10:06Z');
  opened = await openTestMarket(clock, { env: { COINGECKO_REFRESH: 'latest=1m' } });
  processes = [opened, await opened.openAnother(), await opened.openAnother()];
});
afterEach(() => opened.close());

/** Sends requests to all processes every twenty seconds, after all have polled. Returns the source of each response. */
async function askFor(ms: number): Promise<string[][]> {
  const received: string[][] = [];
  for (let passed = 0; passed < ms; passed += 20 * SECOND) {
    clock.advance(20 * SECOND);
    await Promise.all(processes.flatMap(({ market }) => BUILT_IN_NAMES.map(async (token) => market.latest(token))));
    await Promise.all(processes.map(({ market }) => market.idle()));
    await Promise.all(processes.map(({ poll }) => poll()));
    const responses = processes.map(async ({ market }) => market.latest('bitcoin'));
    received.push((await Promise.all(responses)).map(({ source }) => source));
    await Promise.all(processes.map(({ market }) => market.idle()));
  }
  return received;
}

const calls = (end: string) => opened.sandbox.calls.filter(({ path }) => path.endsWith(end)).length;

test('three processes make the fallback calls of one, and respond identically at any time', {
  timeout: 60_000,
}, async () => {
  for (const token of BUILT_IN_NAMES) await processes[0]?.market.latest(token);
  await Promise.all(processes.map(({ poll }) => poll()));
  opened.sandbox.faults.always({ kind: 'status', status: 503 }, { path: COINGECKO });
  const during = await askFor(10 * MINUTE);
  for (const sources of during) expect(new Set(sources).size, sources.join(' | ')).toBe(1);
  expect(during.at(-1)?.[0]).toMatch(/^kraken;age=\d+, coingecko;age=600$/);
  // Once a minute after the first two minutes. Each process requests the list of pairs itself.
  expect(calls('/Ticker')).toBeLessThanOrEqual(8);
  expect(calls('/Ticker')).toBeGreaterThanOrEqual(7);

  opened.sandbox.faults.clear();
  const after = await askFor(12 * MINUTE);
  for (const sources of after) expect(new Set(sources).size, sources.join(' | ')).toBe(1);
  expect(after.at(-1)).toEqual(['coingecko', 'coingecko', 'coingecko']);
});
