import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createLanes } from '#http/pipeline/lanes';

/** A response as far as a lane knows it: it is over when it is closed. */
function answer() {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const over = () => {
    response.closed = true;
    response.emit('close');
  };
  return { response: response as unknown as ServerResponse, over };
}

/** What has become of who waits. */
async function stateOf(entered: Promise<void>): Promise<string> {
  const code = (error: { code: string }) => error.code;
  return Promise.race([
    entered.then(() => 'begun', code),
    new Promise<string>((resolve) => setImmediate(resolve, 'waits')),
  ]);
}

test('the long answers to a user are given one at a time, and three may wait', async () => {
  const enter = createLanes();
  const first = answer();
  expect(await stateOf(enter(1, first.response, 'long'))).toBe('begun');
  const waiting = [1, 2, 3].map(() => enter(1, answer().response, 'long'));
  for (const entered of waiting) expect(await stateOf(entered)).toBe('waits');
  expect(await stateOf(enter(1, answer().response, 'long'))).toBe('overloaded');
  expect(await stateOf(enter(2, answer().response, 'long'))).toBe('begun');
  first.over();
  expect(await Promise.all(waiting.map(stateOf))).toEqual(['begun', 'waits', 'waits']);
});

test('a few long answers are given to all users together, and wide ones do not wait for them', async () => {
  const enter = createLanes({ all: { atOnce: 1, waiting: 1, patience: 60_000 } });
  const first = answer();
  expect(await stateOf(enter(1, first.response, 'long'))).toBe('begun');
  const second = enter(2, answer().response, 'long');
  expect(await stateOf(second)).toBe('waits');
  expect(await stateOf(enter(3, answer().response, 'long'))).toBe('overloaded');
  expect(await stateOf(enter(4, answer().response, 'wide'))).toBe('begun');
  first.over();
  expect(await stateOf(second)).toBe('begun');
});

test('who goes while waiting leaves their turn to the next', async () => {
  const enter = createLanes();
  const [first, gone] = [answer(), answer()];
  await enter(1, first.response, 'wide');
  const left = enter(1, gone.response, 'wide');
  const next = enter(1, answer().response, 'wide');
  gone.over();
  expect(await stateOf(left)).toBe('overloaded');
  first.over();
  expect(await stateOf(next)).toBe('begun');
});
