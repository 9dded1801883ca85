import { beforeEach, expect, test } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import type { Answer } from '#server/cache/answer';
import { bodyOf } from '#server/cache/answer-body';
import { createAnswerCache } from '#server/cache/answer-cache';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';

let clock: TestClock;
let generation: number;
let cache: ReturnType<typeof createAnswerCache>;
beforeEach(() => {
  clock = createTestClock('2026-05-15T14:10:06Z');
  generation = 1;
  cache = createAnswerCache({ source: { generation: () => generation }, clock });
});

function answer(outcome: Partial<Answer['outcome']> = {}): Answer {
  return {
    body: bodyOf('{}'),
    source: 'coingecko',
    modifiedAt: clock.now(),
    fetchedAt: clock.now(),
    dueAt: clock.now() + HOUR,
    settled: false,
    gaps: [],
    outcome: { fetched: false, refreshing: false, failure: undefined, ...outcome },
  };
}

test('an answer is given again within its second, and not after', () => {
  const kept = cache.keep('bitcoin', answer());
  clock.advance(SECOND - 1);
  expect(cache.get('bitcoin')).toBe(kept);
  expect(cache.get('solana')).toBeUndefined();
  clock.advance(1);
  expect(cache.get('bitcoin')).toBeUndefined();
});

test('an answer is not given again once something new is stored', () => {
  cache.keep('bitcoin', answer());
  generation += 1;
  expect(cache.get('bitcoin')).toBeUndefined();
});

test('an answer is not given at a time before it was made', () => {
  cache.keep('bitcoin', answer());
  clock.set(-HOUR);
  expect(cache.get('bitcoin')).toBeUndefined();
});

test.each<[string, Partial<Answer['outcome']>]>([
  ['needed a fetch', { fetched: true }],
  ['came while one was under way', { refreshing: true }],
  ['had a fetch fail', { failure: new Error('away') }],
])('an answer that %s is not given again', (_what, outcome) => {
  const made = answer(outcome);
  expect(cache.keep('bitcoin', made)).toBe(made);
  expect(cache.get('bitcoin')).toBeUndefined();
});
