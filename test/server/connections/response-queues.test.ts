import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createResponseQueues } from '#server/connections/response-queue';

/** A response from the queue's point of view: it ends when it is closed. */
function openResponse() {
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

test('six long responses are sent to all users together, and wide ones do not wait for them', async () => {
  const enter = createResponseQueues();
  let user = 0;
  const enterNext = () => enter(++user, openResponse().response, 'long');
  const first = openResponse();
  expect(await stateOf(enter(++user, first.response, 'long'))).toBe('started');
  for (let i = 0; i < 5; i++) expect(await stateOf(enterNext())).toBe('started');
  const waiting = Array.from({ length: 100 }, enterNext);
  expect(new Set(await Promise.all(waiting.map(stateOf)))).toEqual(new Set(['waits']));
  expect(await stateOf(enterNext())).toBe('overloaded');
  expect(await stateOf(enter(++user, openResponse().response, 'wide'))).toBe('started');
  first.over();
  expect(await Promise.all(waiting.slice(0, 2).map(stateOf))).toEqual(['started', 'waits']);
});
