import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { amount, longTimeout } from '../../support/long.ts';
import { type CountedResponse, hammer, PRICED } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const PROCESSES = 4;
/** The cost of a call for a hundred tokens. */
const EXPENSIVE = 10;
/** Idle leases of all processes together may keep one in this many of a period's remaining calls. */
const RESTING_PART = 1000;

let replicas: Replicas;
let table: string;
beforeAll(async () => {
  replicas = await startReplicas(PROCESSES, { env: { BURST_PER_SECOND: '0' } });
  const names = await addSandboxTokens(replicas.prisma, EXPENSIVE * 10);
  table = `/v1/prices/latest/tokens?tokenNames=${names.join()}`;
  const { apiKey } = await replicas.createUser(1_000_000);
  const until = ({ status }: CountedResponse) => status === 200;
  for (const { url } of replicas.processes)
    await hammer(url, apiKey, { connections: 1, everyMs: 100, path: table, until }).done;
});
afterAll(() => replicas?.close());

const once = () => true;

async function send(url: string, apiKey: string, path = PRICED): Promise<CountedResponse> {
  const { responses, done } = hammer(url, apiKey, { connections: 1, path, until: once });
  await done;
  return responses[0] as CountedResponse;
}

const urlOf = (place: number): string => replicas.processes[place]?.url ?? '';

/** Makes calls of cost 1 on one process until `left` calls succeed. The next call must be rejected. */
async function expectLeft(url: string, apiKey: string, left: number): Promise<void> {
  let answered = 0;
  const count = ({ status }: CountedResponse) => {
    if (status === 200) answered += 1;
    return answered === left;
  };
  if (left > 0) await hammer(url, apiKey, { connections: 1, everyMs: 20, until: count }).done;
  expect((await send(url, apiKey)).code).toBe('quota_exceeded');
}

const settled = (key: number) => expect.poll(() => replicas.ledgerRows(key), { timeout: 20_000 });

/** The processes return their unspent calls within seconds, unless the machine is busy. */
const whenCalm = { retry: 3 };

it('a call of cost ten succeeds at the first attempt if four processes hold ten calls', whenCalm, async () => {
  // One call on each process leaves ten, some of them in leases.
  const { key, apiKey } = await replicas.createUser(PROCESSES + EXPENSIVE);
  for (const { url } of replicas.processes) expect((await send(url, apiKey)).status).toBe(200);
  const { _sum } = await replicas.prisma.lease.aggregate({
    where: { userKey: key },
    _sum: { granted: true },
  });
  expect(_sum.granted).toBeGreaterThan(PROCESSES);
  expect((await send(urlOf(3), apiKey, table)).status).toBe(200);
  await expectLeft(urlOf(0), apiKey, 0);
  await settled(key).toEqual({ used: PROCESSES + EXPENSIVE, outstanding: 0, daily: PROCESSES + EXPENSIVE });
});

it('a call of cost ten is rejected if nine calls are left: it charges nothing, and leaves the calls for others', async () => {
  const { key, apiKey } = await replicas.createUser(PROCESSES + EXPENSIVE - 1);
  for (const { url } of replicas.processes) expect((await send(url, apiKey)).status).toBe(200);
  for (let round = 0; round < 2; round++)
    for (const { url } of replicas.processes) expect((await send(url, apiKey, table)).code).toBe('quota_exceeded');
  await expectLeft(urlOf(1), apiKey, EXPENSIVE - 1);
  const used = PROCESSES + EXPENSIVE - 1;
  await settled(key).toEqual({ used, outstanding: 0, daily: used });
});

it.each([EXPENSIVE, EXPENSIVE - 1])(
  'finds the last %i calls if they rest with another process',
  { timeout: 60_000, ...whenCalm },
  async (resting) => {
    const limit = (resting + 1) * RESTING_PART;
    const { key, apiKey } = await replicas.createUser(limit);
    // Idle leases may keep a thousandth of the remaining calls.
    const spent = limit - resting * RESTING_PART - 1;
    expect((await send(urlOf(0), apiKey)).status).toBe(200);
    const where = { userKey: key };
    await replicas.prisma.usage.updateMany({ where, data: { used: { increment: spent } } });
    await expect.poll(async () => (await replicas.ledgerRows(key)).outstanding, { timeout: 20_000 }).toBe(resting);
    // All other calls have been spent.
    await replicas.prisma.usage.updateMany({ where, data: { used: limit } });
    const { status, code } = await send(urlOf(1), apiKey, table);
    if (resting === EXPENSIVE) expect(status).toBe(200);
    else expect(code).toBe('quota_exceeded');
    await expectLeft(urlOf(2), apiKey, resting === EXPENSIVE ? 0 : resting);
    await expect
      .poll(async () => (({ used, outstanding }) => ({ used, outstanding }))(await replicas.ledgerRows(key)), {
        timeout: 20_000,
      })
      .toEqual({ used: limit, outstanding: 0 });
  },
);

it('accepts calls of cost ten and of cost one on all processes up to the limit, and no more', {
  timeout: longTimeout,
}, async () => {
  const limit = 1_999;
  for (let round = 1; round <= amount(3, 20); round++) {
    const { key, apiKey } = await replicas.createUser(limit);
    const until = ({ status }: CountedResponse) => status !== 200;
    const hammers = replicas.processes.flatMap(({ url }) => [
      { cost: 1, load: hammer(url, apiKey, { until }) },
      { cost: EXPENSIVE, load: hammer(url, apiKey, { until, path: table, connections: 2 }) },
    ]);
    await Promise.all(hammers.map(({ load }) => load.done));
    const received = new Set(hammers.flatMap(({ load }) => load.responses.map(({ status, code }) => code ?? status)));
    expect([...received].sort(), `round ${round}`).toEqual([200, 'quota_exceeded']);
    const paid = hammers.reduce((sum, { cost, load }) => sum + cost * load.count(), 0);
    expect(paid, `round ${round}`).toBeLessThanOrEqual(limit);
    await expectLeft(urlOf(round % PROCESSES), apiKey, limit - paid);
    await settled(key).toEqual({ used: limit, outstanding: 0, daily: limit });
  }
});
