import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { amount, isLong } from '../../support/long.ts';
import { type CountedResponse, hammer } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const LIMIT = amount(5_000, 20_000);
/** The time between two settlements: a tick, the statements before it, and a margin for a busy machine. */
const UNSETTLED = 1.5 * SECOND;
const RECLAIMED_WITHIN = 35 * SECOND;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(3);
});
afterAll(() => replicas?.close());

const isSpent = ({ code }: CountedResponse) => code === 'quota_exceeded';

it("a killed process's calls can be spent 35 s later, and only the calls of its last second are lost", {
  timeout: 90_000,
}, async () => {
  const { key, apiKey } = await replicas.createUser(LIMIT);
  const [victim, ...others] = replicas.processes;
  if (!victim) throw new Error('no process was started');
  const doomed = hammer(victim.url, apiKey, { until: isSpent });
  const spared = others.map(({ url }) => hammer(url, apiKey, { until: isSpent }));
  const answered = () => [doomed, ...spared].reduce((sum, { count }) => sum + count(), 0);

  await expect.poll(answered, { timeout: 30_000, interval: 10 }).toBeGreaterThan(LIMIT / 2);
  const [inFlight, killedAt] = [doomed.inFlight(), performance.now()];
  await victim.kill();
  await doomed.done;
  const unsettled = doomed.responses.filter(({ at }) => at > killedAt - UNSETTLED).length;
  expect(doomed.count(), 'the victim answered calls before it died').toBeGreaterThan(0);

  await Promise.all(spared.map(({ done }) => done));
  // The killed process reports nothing. Its lease expires by the database's clock. The short form of the test expires
  // it earlier.
  if (!isLong) {
    await replicas.prisma.$executeRaw`
      UPDATE process SET expires_at = expires_at - interval '15 s' WHERE address LIKE ${`%:${new URL(victim.url).port}`}`;
  }
  const url = others[0]?.url ?? '';
  const first = hammer(url, apiKey, {
    connections: 1,
    everyMs: 50,
    until: ({ status, at }) => status === 200 || at > killedAt + RECLAIMED_WITHIN,
  });
  await first.done;
  expect(first.count(), 'calls were returned in time').toBe(1);
  const rest = hammer(url, apiKey, { until: isSpent });
  await rest.done;

  const total = answered() + first.count() + rest.count();
  expect(total).toBeGreaterThanOrEqual(LIMIT - inFlight);
  expect(total).toBeLessThanOrEqual(LIMIT + unsettled + inFlight);
  await expect
    .poll(() => replicas.ledgerRows(key), { timeout: 5_000 })
    .toEqual({ used: LIMIT, outstanding: 0, daily: LIMIT });
});
