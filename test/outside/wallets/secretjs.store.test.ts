import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { base64, transferBytes, transferStdTx } from '../../../fixtures/signing.ts';
import { DIALECTS, type Opened, openForWallet } from './open.ts';

// The library is CommonJS, and its types require an older compiler.
const { CosmWasmClient } = createRequire(import.meta.url)('secretjs') as typeof import('secretjs');

let opened: Opened;
afterEach(() => opened.close());

describe.each(DIALECTS)('secretjs 0.17 with only a URL, in front of a %s node', (dialect) => {
  test('reads the chain, the account, transactions and searches', async () => {
    opened = await openForWallet(dialect);
    const { alice, bob, url, chain, service, nextBlock } = opened;
    const client = new CosmWasmClient(url);
    expect(await client.getChainId()).toBe('sandbox-1');
    expect(await client.getHeight()).toBe(chain.latest().height);
    expect(await client.getNonce(alice)).toEqual({ accountNumber: 0, sequence: 0 });

    const transfer = { to: bob, amount: '12345', memo: 'rent' };
    const form =
      dialect === 'legacy'
        ? { tx: await transferStdTx(service.sandbox, transfer) }
        : { tx_bytes: base64(await transferBytes(service.sandbox, transfer)) };
    const sent = await client.restClient.post('/txs', { ...form, mode: 'sync' });
    const { txhash } = sent as unknown as { txhash: string };
    nextBlock();

    const account = await client.getAccount(alice);
    expect(account).toMatchObject({ address: alice, accountNumber: 0, sequence: 1 });
    expect(account?.balance).toContainEqual({ denom: 'uphoton', amount: '250000000' });
    // The decryption reads all messages and logs, even if there is nothing to decrypt.
    const found = await client.restClient.txById(txhash, true);
    expect(found).toMatchObject({
      txhash,
      height: String(chain.latest().height),
      tx: {
        type: 'cosmos-sdk/StdTx',
        value: {
          msg: [{ type: 'cosmos-sdk/MsgSend', value: { from_address: alice, to_address: bob } }],
          memo: 'rent',
        },
      },
    });
    for (const query of [{ sentFromOrTo: bob }, { height: chain.latest().height }, { id: txhash }]) {
      const [hit, ...others] = await client.searchTx(query);
      expect([hit?.hash, hit?.code, hit?.logs.length, others]).toEqual([txhash, 0, 1, []]);
    }
    const block = await client.getBlock(chain.latest().height);
    expect(block.header).toMatchObject({ chainId: 'sandbox-1', height: chain.latest().height });
    expect(await client.getAccount('cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu')).toBeUndefined();
  });
});
