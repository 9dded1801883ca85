import { createRequire } from 'node:module';
import { afterEach, expect, test } from 'vitest';
import { type Opened, openForClient } from './open.ts';

const { osmosis } = createRequire(import.meta.url)('osmojs') as typeof import('osmojs');

let opened: Opened;
afterEach(() => opened.close());

test('osmojs reads through a URL with the key as its user name', async () => {
  opened = await openForClient();
  const url = new URL(`${opened.restUrl}/`);
  url.username = opened.key;
  const client = await osmosis.ClientFactory.createLCDClient({ restEndpoint: url.href });
  const { balances } = await client.cosmos.bank.v1beta1.allBalances({ address: opened.alice.address } as never);
  expect(balances).toContainEqual({ denom: 'uatom', amount: '1000000000000' });
  const { params } = await client.cosmos.staking.v1beta1.params();
  expect(params).toMatchObject({ bond_denom: 'uatom' });
  // The sandbox has no module of Osmosis. Its own response arrives.
  await expect(client.osmosis.poolmanager.v1beta1.numPools()).rejects.toMatchObject({ response: { status: 501 } });
});
