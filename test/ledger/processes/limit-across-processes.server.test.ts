import { afterAll, beforeAll, expect, it } from 'vitest';
import { amount, longTimeout } from '../../support/long.ts';
import { hammer } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const PROCESSES = 3;
const LIMIT = 1_000;
const ROUNDS = amount(3, 40);

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(PROCESSES);
});
afterAll(() => replicas?.close());

it('answers exactly as many calls as the limit, whichever processes receive them', {
  timeout: longTimeout,
}, async () => {
  const users: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const { key, apiKey } = await replicas.createUser(LIMIT);
    const hammers = replicas.processes.map(({ url }) => hammer(url, apiKey, { until: ({ status }) => status !== 200 }));
    await Promise.all(hammers.map(({ done }) => done));

    const received = new Set(hammers.flatMap(({ responses }) => responses.map(({ status, code }) => code ?? status)));
    expect([...received].sort(), `round ${round}`).toEqual([200, 'quota_exceeded']);
    const answered = hammers.reduce((sum, { count }) => sum + count(), 0);
    expect(answered, `round ${round}`).toBe(LIMIT);
    users.push(key);
  }
  for (const key of users) {
    await expect
      .poll(() => replicas.ledgerRows(key), { timeout: 10_000 })
      .toEqual({ used: LIMIT, outstanding: 0, daily: LIMIT });
  }
});
