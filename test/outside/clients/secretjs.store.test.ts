import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { type Opened, openForClient, openKeyedUrl } from './open.ts';

const { SecretNetworkClient, Wallet } = createRequire(import.meta.url)('secretjs-1') as typeof import('secretjs-1');

let opened: Opened;
let keyed: Awaited<ReturnType<typeof openKeyedUrl>>;
afterEach(async () => {
  await keyed.close();
  await opened.close();
});

describe.each(['0.45', '0.50'] as const)('secretjs 1.22, in front of a node with SDK %s', (sdk) => {
  test('reads, simulates, signs, broadcasts once and polls', async () => {
    opened = await openForClient({ sdk });
    keyed = await openKeyedUrl(opened);
    const { chain, alice, broadcasts } = opened;
    const wallet = new Wallet('', { bech32Prefix: 'cosmos' });
    chain.fund(wallet.address, [
      { denom: 'uscrt', amount: '1000000' },
      { denom: 'uatom', amount: '1000000' },
    ]);
    const client = new SecretNetworkClient({
      url: `${keyed.url}/v1/node/rest/`,
      chainId: 'sandbox-1',
      wallet,
      walletAddress: wallet.address,
      // Otherwise, the library reads a key for encrypted contracts.
      encryptionUtils: {} as never,
    });
    const { balances } = await client.query.bank.allBalances({ address: wallet.address });
    expect(balances).toHaveLength(2);
    const transfer = {
      from_address: wallet.address,
      to_address: alice.address,
      amount: [{ denom: 'uatom', amount: '5' }],
    };
    const simulated = await client.tx.bank.send.simulate(transfer, { feeDenom: 'uatom' });
    expect(Number(simulated.gas_info?.gas_used)).toBeGreaterThan(0);
    const options = { gasLimit: 200_000, gasPriceInFeeDenom: 0.1, feeDenom: 'uatom', broadcastCheckIntervalMs: 100 };
    const sent = await client.tx.bank.send(transfer, options);
    expect(sent).toMatchObject({ code: 0, transactionHash: expect.stringMatching(/^[\dA-F]{64}$/) });
    expect(broadcasts()).toBe(1);
    expect(await client.query.getTx('AB'.repeat(32))).toBeNull();
  });
});
