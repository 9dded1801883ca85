import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { iso, MINUTE } from '#core/clock';
import { PRICED } from '../support/service/hammer.ts';
import { startService } from '../support/service/service.ts';
import { type Keys, openKeys } from './keys-harness.ts';

/* When keys were last used, and from which origins. */

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

const lastUse = async (id: number) => {
  await keys.service.parts.allowance.writeUse();
  const record = (await keys.list(owner)).find((one) => one.id === id) as unknown as {
    lastUsedAt: string | null;
  };
  return record.lastUsedAt;
};

it("reports the minute of a key's last call, charged or free, and ignores rejected calls", async () => {
  const { id, apiKey } = await keys.make(owner, { scopes: 'prices' });
  expect(await lastUse(id)).toBeNull();
  expect(await keys.outcome('GET', '/v1/node/node_info', apiKey)).toBe('scope_missing');
  expect(await lastUse(id)).toBeNull();
  const received: (string | null)[] = [];
  for (const path of [PRICED, PRICED, '/v1/user/usage', `/v1/user/data?api=${apiKey}`]) {
    await keys.moveTo(keys.clock.now() + 3 * MINUTE);
    expect(await keys.outcome('GET', path, apiKey)).toBe(200);
    received.push(await lastUse(id));
    expect(received.at(-1)).toBe(iso(Math.floor(keys.clock.now() / MINUTE) * MINUTE));
  }
  expect(new Set(received).size).toBe(4);
});

it('stores the last use of a key before the process stops', async () => {
  const { id, apiKey } = await keys.make(owner);
  const { clock, service } = keys;
  const other = await startService({
    clock,
    database: service.database,
    settings: { BURST_PER_SECOND: '0' },
  });
  expect((await other.get(PRICED, { key: apiKey })).status).toBe(200);
  await other.close();
  expect(await lastUse(id)).toBe(iso(Math.floor(keys.clock.now() / MINUTE) * MINUTE));
});

it('reports the origin of a cross-site page that uses a key without the scope account', async () => {
  const { apiKey } = await keys.make(owner);
  const page = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
  await keys.ask('GET', PRICED, owner, page);
  await keys.ask('GET', PRICED, apiKey, page);
  await keys.service.parts.allowance.writeUse();
  const received = (await keys.list(owner)) as unknown as { seenOrigin?: string }[];
  expect(received.map(({ seenOrigin }) => seenOrigin)).toEqual([undefined, 'https://shop.example']);
});
