import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createKeyLookups } from '#keys/key-lookups';

/** The statements so far. A test decides when each of them responds. */
let statements: { hashes: readonly string[]; response: PromiseWithResolvers<void> }[];
let lookups: ReturnType<typeof createKeyLookups>;
beforeEach(() => {
  statements = [];
  lookups = createKeyLookups((hashes) => {
    const response = Promise.withResolvers<void>();
    statements.push({ hashes, response });
    return response.promise;
  });
});

/** Waits for the statement with a number, from 0. */
async function statement(number: number): Promise<PromiseWithResolvers<void>> {
  await expect.poll(() => statements.length).toBe(number + 1);
  return statements[number]?.response as PromiseWithResolvers<void>;
}

it('keys that arrive during a statement share the next one', async () => {
  const first = lookups.lookUp('a');
  const response = await statement(0);
  const others = ['b', 'c', 'b'].map((hash) => lookups.lookUp(hash));
  await nextTurn();
  expect(statements).toHaveLength(1);
  expect(['a', 'b', 'd'].map(lookups.has)).toEqual([true, true, false]);
  response.resolve();
  await first;
  (await statement(1)).resolve();
  await Promise.all(others);
  expect(statements.map(({ hashes }) => hashes)).toEqual([['a'], ['b', 'c']]);
  expect(lookups.has('b')).toBe(false);
});

it('a statement that fails rejects its own keys only', async () => {
  const failed = lookups.lookUp('a');
  (await statement(0)).reject(new Error('the connection was cut'));
  await expect(failed).rejects.toMatchObject({ code: 'database_unavailable' });
  const again = lookups.lookUp('a');
  (await statement(1)).resolve();
  await expect(again).resolves.toBeUndefined();
});

it('up to 5,000 keys wait, and are looked up 500 at a time; further keys are rejected', async () => {
  const waiting = Array.from({ length: 5_000 }, (_, number) => lookups.lookUp(String(number)));
  const problem = { code: 'overloaded', headers: { 'retry-after': '1' } };
  expect(() => lookups.lookUp('another')).toThrow(expect.objectContaining(problem));
  for (let number = 0; number < 10; number++) (await statement(number)).resolve();
  await Promise.all(waiting);
  expect(statements.map(({ hashes }) => hashes.length)).toEqual(Array.from({ length: 10 }, () => 500));
});
