import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createAnswerQueues } from '#server/connections/answer-queue';

/** A response from the queue's point of view: it ends when it is closed. */
function answer() {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const over = () => {
    response.closed = true;
    response.emit('close');
  };
  return { response: Object.assign(response, { destroy: over }) as unknown as ServerResponse, over };
}

/** The state of a waiting response. */
async function stateOf(entered: Promise<void>): Promise<string> {
  const code = (error: { code: string }) => error.code;
  return Promise.race([
    entered.then(() => 'started', code),
    new Promise<string>((resolve) => setImmediate(resolve, 'waits')),
  ]);
}

test('the long responses to a user are sent one at a time, and three can wait', async () => {
  const enter = createAnswerQueues();
  const first = answer();
  expect(await stateOf(enter(1, first.response, 'long'))).toBe('started');
  const waiting = [1, 2, 3].map(() => enter(1, answer().response, 'long'));
  for (const entered of waiting) expect(await stateOf(entered)).toBe('waits');
  expect(await stateOf(enter(1, answer().response, 'long'))).toBe('overloaded');
  expect(await stateOf(enter(2, answer().response, 'long'))).toBe('started');
  first.over();
  expect(await Promise.all(waiting.map(stateOf))).toEqual(['started', 'waits', 'waits']);
});

test('six long responses are sent to all users together, and wide ones do not wait for them', async () => {
  const enter = createAnswerQueues();
  let user = 0;
  const enterNext = () => enter(++user, answer().response, 'long');
  const first = answer();
  expect(await stateOf(enter(++user, first.response, 'long'))).toBe('started');
  for (let i = 0; i < 5; i++) expect(await stateOf(enterNext())).toBe('started');
  const waiting = Array.from({ length: 100 }, enterNext);
  expect(new Set(await Promise.all(waiting.map(stateOf)))).toEqual(new Set(['waits']));
  expect(await stateOf(enterNext())).toBe('overloaded');
  expect(await stateOf(enter(++user, answer().response, 'wide'))).toBe('started');
  first.over();
  expect(await Promise.all(waiting.slice(0, 2).map(stateOf))).toEqual(['started', 'waits']);
});

test('a client that disconnects while waiting passes its turn to the next one', async () => {
  const enter = createAnswerQueues();
  const [first, gone] = [answer(), answer()];
  await enter(1, first.response, 'wide');
  const left = enter(1, gone.response, 'wide');
  const next = enter(1, answer().response, 'wide');
  gone.over();
  expect(await stateOf(left)).toBe('overloaded');
  first.over();
  expect(await stateOf(next)).toBe('started');
});
