import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { OPERATOR } from '../support/operator.ts';
import { PRICED } from '../support/service/hammer.ts';

/** The time within which every process applies a change made on another process, in ms. */
const WITHIN = 5 * SECOND;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(2);
});
afterAll(() => replicas?.close());

async function send(n: number, method: string, path: string, apiKey: string) {
  const url = `${replicas.processes[n]?.url}${path}`;
  const response = await fetch(url, { method, headers: { 'x-api-key': apiKey } });
  const text = await response.text();
  const { code, limit } = (text === '' ? {} : JSON.parse(text)) as { code?: string; limit?: number };
  return { status: response.status, code, limit };
}

it('rejects an erased user immediately on the process that erased the user, and within 5 s on others', async () => {
  const { apiKey } = await replicas.createUser(1_000);
  for (const n of [0, 1]) expect((await send(n, 'GET', PRICED, apiKey)).status).toBe(200);
  expect((await send(0, 'DELETE', '/v1/user', apiKey)).status).toBe(204);
  expect((await send(0, 'GET', PRICED, apiKey)).code).toBe('api_key_revoked');
  await expect
    .poll(async () => (await send(1, 'GET', PRICED, apiKey)).code, { timeout: WITHIN })
    .toBe('api_key_revoked');
});

it("applies an operator's change on every process within 5 s", async () => {
  const { key, apiKey } = await replicas.createUser(1_000);
  for (const n of [0, 1]) expect((await send(n, 'GET', PRICED, apiKey)).status).toBe(200);

  await replicas.administration.limit(OPERATOR, key, 1);
  for (const n of [0, 1]) {
    await expect
      .poll(async () => (await send(n, 'GET', PRICED, apiKey)).code, { timeout: WITHIN })
      .toBe('quota_exceeded');
    await expect.poll(async () => (await send(n, 'GET', '/v1/user/data', apiKey)).limit, { timeout: WITHIN }).toBe(1);
  }
  await replicas.administration.limit(OPERATOR, key, 2_000);
  for (const n of [0, 1]) {
    await expect.poll(async () => (await send(n, 'GET', PRICED, apiKey)).status, { timeout: WITHIN }).toBe(200);
  }
  await replicas.keys.revokeAll(byOperator(key, OPERATOR));
  for (const n of [0, 1]) {
    await expect
      .poll(async () => (await send(n, 'GET', PRICED, apiKey)).code, { timeout: WITHIN })
      .toBe('api_key_revoked');
  }
});

it('accepts a key that was rejected as unknown within 5 s of its registration on another process', async () => {
  const { key, apiKey } = await replicas.createUser(1_000);
  await replicas.prisma.apiKey.updateMany({ where: { userKey: key }, data: { hash: Buffer.alloc(32) } });
  expect((await send(0, 'GET', PRICED, apiKey)).code).toBe('api_key_invalid');
  const { apiKey: rotated } = await replicas.keys.rotate(byOperator(key, OPERATOR), 0);
  await expect.poll(async () => (await send(0, 'GET', PRICED, rotated)).status, { timeout: WITHIN }).toBe(200);
});
