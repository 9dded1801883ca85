import { BroadcastMode, CosmosClient, coins, GasPrice, Secp256k1Wallet, SigningCosmosClient } from '@cosmjs/launchpad';
import { afterEach, describe, expect, test } from 'vitest';
import { keyOf } from '../../../fixtures/signing.ts';
import { DIALECTS, type Opened, openForWallet } from './open.ts';

let opened: Opened;
afterEach(() => opened.close());

/** A client that signs with one of the chain's accounts. Its only setting is a URL. */
async function signer(place = 0, mode = BroadcastMode.Block) {
  const wallet = await Secp256k1Wallet.fromKey(keyOf(opened.service.sandbox, place), 'cosmos');
  const [account] = await wallet.getAccounts();
  const price = GasPrice.fromString('0.025uatom');
  return new SigningCosmosClient(opened.url, String(account?.address), wallet, price, {}, mode);
}

describe.each(DIALECTS)('@cosmjs/launchpad with only a URL, in front of a %s node', (dialect) => {
  test('sends tokens twice, and reads the results', async () => {
    opened = await openForWallet(dialect, { running: true });
    const { alice, bob, url, chain } = opened;
    const client = await signer();
    const reader = new CosmosClient(url);
    for (const [sequence, amount] of [1234, 5678].entries()) {
      expect(await client.getSequence()).toEqual({ accountNumber: 0, sequence });
      const sent = await client.sendTokens(bob, coins(amount, 'uatom'), 'rent');
      if (!('logs' in sent)) throw new Error(`it was refused: ${sent.rawLog}`);
      expect(sent.logs[0]?.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['message', 'transfer']));
      const found = await reader.getTx(sent.transactionHash);
      expect(found).toMatchObject({
        hash: sent.transactionHash,
        code: 0,
        tx: {
          type: 'cosmos-sdk/StdTx',
          value: {
            msg: [
              {
                type: 'cosmos-sdk/MsgSend',
                value: { from_address: alice, to_address: bob, amount: coins(amount, 'uatom') },
              },
            ],
            memo: 'rent',
          },
        },
      });
      expect(found?.logs).toEqual(sent.logs);
    }
    const { balance, pubkey } = (await reader.getAccount(bob)) ?? {};
    expect(balance).toContainEqual({ denom: 'uatom', amount: '1000000006912' });
    expect(pubkey).toBeUndefined();
    expect(await client.getAccount()).toMatchObject({
      address: alice,
      accountNumber: 0,
      sequence: 2,
      pubkey: { type: 'tendermint/PubKeySecp256k1' },
    });
    const both = await reader.searchTx({ sentFromOrTo: bob });
    expect(both.map(({ tx }) => tx.value.memo)).toEqual(['rent', 'rent']);
    expect(await client.getChainId()).toBe(chain.chainId);
  });

  test('reads the chain, its height and its blocks, and an unknown account', async () => {
    opened = await openForWallet(dialect);
    const { url, chain } = opened;
    const reader = new CosmosClient(url);
    const { height, at } = chain.latest();
    expect(await reader.getChainId()).toBe('sandbox-1');
    expect(await reader.getHeight()).toBe(height);
    const latest = await reader.getBlock();
    expect(latest).toMatchObject({
      id: expect.stringMatching(/^[0-9A-F]{64}$/),
      header: { height, chainId: 'sandbox-1', time: new Date(at).toISOString() },
      txs: [],
    });
    expect(await reader.getBlock(height)).toEqual(latest);
    expect((await reader.getBlock(height - 1)).header.height).toBe(height - 1);
    await expect(reader.getBlock(height + 1)).rejects.toThrow(/bigger then the chain length \(HTTP 4\d\d\)$/);
    expect(await reader.getAccount('cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu')).toBeUndefined();
  });

  test('a rejection by the chain is passed on', async () => {
    opened = await openForWallet(dialect, { running: true });
    const client = await signer();
    const sent = await client.sendTokens(opened.bob, coins(9_999_999_999_999, 'uatom'));
    expect(sent).toMatchObject({ code: 5, rawLog: expect.stringContaining('is smaller than') });
  });

  test('sends two transfers before the next block, with sequences counted by the signer', async () => {
    opened = await openForWallet(dialect);
    const { bob, nextBlock, chain } = opened;
    const client = await signer(0, BroadcastMode.Sync);
    const first = await client.sendTokens(bob, coins(1, 'uatom'));
    // The account's sequence is that of the last block, so a signer of further transactions must count by itself.
    client.getSequence = async () => ({ accountNumber: 0, sequence: 1 });
    const second = await client.sendTokens(bob, coins(2, 'uatom'));
    expect([first, second].map((sent) => ('code' in sent ? sent.rawLog : ''))).toEqual(['', '']);
    nextBlock();
    expect([first, second].map((sent) => chain.transaction(sent.transactionHash)?.failure)).toEqual([null, null]);
  });
});
