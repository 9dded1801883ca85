import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { type CountedResponse, hammer } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const PROCESSES = 4;
const LIMIT = 100_000;
const RESTING = PROCESSES * 20;
/** The remaining calls in addition to those that idle leases keep. */
const LEFT = 100;
/** Two seconds, and a margin for a busy machine. */
const FOUND_WITHIN = 3.5 * SECOND;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(PROCESSES);
});
afterAll(() => replicas?.close());

const once = (response: CountedResponse) => response.status > 0;

it("one process finds a user's last calls, which rest with four processes", {
  timeout: 60_000,
}, async () => {
  const { prisma } = replicas;
  const { key, apiKey } = await replicas.createUser(LIMIT);
  const first = replicas.processes.map(({ url }) => hammer(url, apiKey, { connections: 1, until: once }));
  await Promise.all(first.map(({ done }) => done));
  await expect.poll(async () => (await replicas.ledgerRows(key)).outstanding, { timeout: 20_000 }).toBe(RESTING);

  // The other calls have been spent.
  await prisma.usage.updateMany({ where: { userKey: key }, data: { used: LIMIT - LEFT } });
  const [caller] = replicas.processes;
  let refusedAt = Number.POSITIVE_INFINITY;
  let answered = 0;
  const load = hammer(caller?.url ?? '', apiKey, {
    connections: 1,
    everyMs: 5,
    until: ({ status, at }) => {
      if (status === 200) answered += 1;
      else refusedAt = Math.min(refusedAt, at);
      return answered === RESTING + LEFT || at > refusedAt + FOUND_WITHIN;
    },
  });
  await load.done;
  const refused = load.responses.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, code, retryAfter } of refused)
    expect({ status, code, retryAfter: Number(retryAfter) <= 2 }).toEqual({
      status: 429,
      code: 'quota_exceeded',
      retryAfter: true,
    });
  expect(load.count(200)).toBe(RESTING + LEFT);
  const more = hammer(caller?.url ?? '', apiKey, { connections: 1, until: once });
  await more.done;
  expect(more.responses).toMatchObject([{ status: 429, code: 'quota_exceeded' }]);
  await expect
    .poll(async () => (({ used, outstanding }) => ({ used, outstanding }))(await replicas.ledgerRows(key)), {
      timeout: 10_000,
    })
    .toEqual({ used: LIMIT, outstanding: 0 });
});
