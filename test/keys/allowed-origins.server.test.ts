import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { OPERATOR } from '../support/operator.ts';
import { PRICED } from '../support/service/hammer.ts';

/* A restriction that another process has added. */

const WITHIN = 5 * SECOND;
const SHOP = 'https://shop.example';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(2);
});
afterAll(() => replicas?.close());

it('applies on every process within 5 s', async () => {
  const { key } = await replicas.createUser(1_000);
  const terms = {
    label: 'page',
    scopes: ['prices'] as const,
    expiresAt: null,
    dailyLimit: null,
    allowedOrigins: null,
    url: false,
  };
  const { id, apiKey } = await replicas.keys.create(byOperator(key, OPERATOR), terms);
  const call = async (n: number, origin?: string) => {
    const headers = { 'x-api-key': apiKey, ...(origin !== undefined && { origin }) };
    return (await fetch(`${replicas.processes[n]?.url}${PRICED}`, { headers })).status;
  };
  for (const n of [0, 1]) for (let i = 0; i < 3; i++) expect(await call(n)).toBe(200);
  const change = (allowedOrigins: string[] | null) =>
    replicas.keys.update(byOperator(key, OPERATOR), id, { allowedOrigins });
  await change([SHOP]);
  for (const n of [0, 1]) {
    await expect.poll(() => call(n), { timeout: WITHIN }).toBe(403);
    expect(await call(n, SHOP)).toBe(200);
  }
  await change(null);
  for (const n of [0, 1]) await expect.poll(() => call(n), { timeout: WITHIN }).toBe(200);
});
