import { DirectSecp256k1Wallet } from '@cosmjs/proto-signing';
import { GasPrice, SigningStargateClient, StargateClient } from '@cosmjs/stargate';
import { Comet38Client, HttpBatchClient } from '@cosmjs/tendermint-rpc';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Opened, openForClient } from './open.ts';

let opened: Opened;
afterEach(() => opened.close());

const NEW = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';

describe.each(['0.34', '0.37', '0.38', '1.0'] as const)('@cosmjs/stargate, in front of CometBFT %s', (comet) => {
  test('connects, reads, simulates, signs, broadcasts once and polls', async () => {
    opened = await openForClient({ comet });
    const { rpc, alice, bob, chain } = opened;
    const reader = await StargateClient.connect(rpc);
    expect(await reader.getChainId()).toBe('sandbox-1');
    expect(await reader.getBalance(alice.address, 'uatom')).toEqual({ denom: 'uatom', amount: '1000000000000' });
    expect(await reader.getAllBalances(alice.address)).toHaveLength(2);
    expect(await reader.getAccount(NEW)).toBeNull();
    expect((await reader.getBlock()).header.chainId).toBe('sandbox-1');

    const wallet = await DirectSecp256k1Wallet.fromKey(bob.privateKey, 'cosmos');
    const options = { gasPrice: GasPrice.fromString('0.025uatom'), broadcastPollIntervalMs: 50 };
    const client = await SigningStargateClient.connectWithSigner(rpc, wallet, options);
    const message = {
      typeUrl: '/cosmos.bank.v1beta1.MsgSend',
      value: { fromAddress: bob.address, toAddress: alice.address, amount: [{ denom: 'uatom', amount: '5' }] },
    };
    const sent = await client.signAndBroadcast(bob.address, [message], 'auto');
    expect(sent).toMatchObject({ code: 0, transactionHash: expect.stringMatching(/^[\dA-F]{64}$/) });
    // The library returns events of 0.34 as they are, in base64.
    const written = (text: string) => (comet === '0.34' ? Buffer.from(text).toString('base64') : text);
    const amounts = sent.events.filter(({ type }) => type === 'transfer').flatMap(({ attributes }) => attributes);
    expect(amounts).toContainEqual(expect.objectContaining({ key: written('amount'), value: written('5uatom') }));
    expect(chain.account(bob.address)?.sequence).toBe(1);
    expect(await client.getTx(sent.transactionHash)).toMatchObject({ code: 0, height: sent.height });
    const second = await client.sendTokens(bob.address, alice.address, [{ denom: 'uatom', amount: '7' }], 'auto');
    expect(second.code).toBe(0);
    expect(await client.searchTx([{ key: 'message.sender', value: bob.address }])).toHaveLength(2);
  });
});

test('@cosmjs/tendermint-rpc sends batches, each call of which is answered', async () => {
  // The library matches responses by random ids.
  vi.mocked(Math.random).mockRestore();
  opened = await openForClient();
  const client = await Comet38Client.create(
    new HttpBatchClient(opened.rpc, { batchSizeLimit: 20, dispatchInterval: 20 }),
  );
  const heights = Array.from({ length: 40 }, (_, i) => i + 1);
  const blocks = await Promise.all(heights.map((height) => client.block(height)));
  expect(blocks.map(({ block }) => block.header.height)).toEqual(heights);
  expect((await client.blockResults(5)).height).toBe(5);
  await expect(client.genesis()).rejects.toThrow('-32601');
  await expect(client.broadcastTxCommit({ tx: new Uint8Array([1]) })).rejects.toThrow('broadcast_tx_sync');
});
