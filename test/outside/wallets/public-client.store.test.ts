import {
  BroadcastMode,
  CosmosClient,
  LcdClient,
  makeSignDoc,
  Secp256k1Wallet,
  setupBankExtension,
  setupGovExtension,
} from '@cosmjs/launchpad';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../../../fixtures/clock.ts';
import { base64, keyOf, signedTxRaw } from '../../../fixtures/signing.ts';
import { startKeyProxy } from '../../support/database/key-proxy.ts';
import { startService } from '../../support/service/service.ts';

/**
 * The published client for which wallets were written, with its signer. It shares no code with the service. Only
 * `nextBlock` advances the clock. With `running`, the clock runs and a block is made every 50 ms.
 */
async function open(dialect: 'legacy' | 'cosmos', { running = false } = {}) {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  const service = await startService({
    ...(running ? { sandbox: { node: { blockMs: 50 } } } : { clock }),
    settings: ({ legacyNodeUrl, cosmosNodeUrl }) => ({
      NODE_URLS: dialect === 'legacy' ? legacyNodeUrl : cosmosNodeUrl,
    }),
  });
  const proxy = await startKeyProxy(`${service.url}/v1/node`, await service.register());
  const { sandbox } = service;
  const [alice, bob] = sandbox.chain.accounts.map(({ address }) => address) as [string, string];

  async function signed(sequence: number, amount = '2271999999') {
    const wallet = await Secp256k1Wallet.fromKey(keyOf(sandbox), 'cosmos');
    const coins = [{ denom: 'uatom', amount }];
    const value = { from_address: alice, to_address: bob, amount: coins };
    const message = { type: 'cosmos-sdk/MsgSend', value };
    const fee = { amount: [{ denom: 'uatom', amount: '500' }], gas: '200000' };
    const document = makeSignDoc([message], fee, sandbox.chain.chainId, 'rent', 0, sequence);
    const { signed, signature } = await wallet.signAmino(alice, document);
    return { msg: signed.msgs, fee: signed.fee, memo: signed.memo, signatures: [signature] };
  }

  return {
    service,
    proxy,
    sandbox,
    alice,
    bob,
    signed,
    nextBlock: () => clock.advance(6_000),
    /** The client in front of the service, with its bank calls. */
    client: (broadcastMode: BroadcastMode = BroadcastMode.Sync) =>
      LcdClient.withExtensions({ apiUrl: proxy.url, broadcastMode }, setupBankExtension),
    async close() {
      await proxy.close();
      await service.close();
    },
  };
}

let opened: Awaited<ReturnType<typeof open>>;
afterEach(() => opened.close());

describe('LcdClient with a legacy node behind the service', () => {
  test('balances', async () => {
    opened = await open('legacy');
    const { alice, sandbox } = opened;
    const { height, result } = await opened.client().bank.balances(alice);
    expect(height).toBe(String(sandbox.chain.latest().height));
    expect(result).toEqual([
      { denom: 'uatom', amount: '1000000000000' },
      { denom: 'uphoton', amount: '250000000' },
    ]);
  });

  test('broadcasts, and finds the transaction by hash and by search once it is in a block', async () => {
    opened = await open('legacy');
    const { alice, bob, sandbox } = opened;
    const client = opened.client();
    const tx = await opened.signed(0);
    const { txhash, code } = await client.broadcastTx(tx);
    expect(code).toBeUndefined();
    await expect(client.txById(txhash)).rejects.toThrow(/not found.*\(HTTP 404\)/);

    opened.nextBlock();
    const found = await client.txById(txhash);
    expect(found).toMatchObject({ txhash, height: String(sandbox.chain.latest().height), tx: { value: tx } });
    for (const query of [`message.sender=${alice}`, `transfer.recipient=${bob}`, `tx.height=${found.height}`]) {
      const search = await client.txsQuery(query);
      expect([search.total_count, search.txs[0]]).toEqual(['1', found]);
    }
    const { result } = await client.bank.balances(bob);
    expect(result[0]).toEqual({ denom: 'uatom', amount: '1002271999999' });
  });

  test('gets an empty result for a search without matches', async () => {
    opened = await open('legacy');
    expect(await opened.client().txsQuery(`message.sender=${opened.bob}`)).toMatchObject({
      ...{ total_count: '0', count: '0', page_number: '1', page_total: '0', txs: [] },
    });
  });

  test('in mode block, gets the transaction with its block', async () => {
    opened = await open('legacy', { running: true });
    const response = await opened.client(BroadcastMode.Block).broadcastTx(await opened.signed(0));
    expect(Number(response.height)).toBeGreaterThan(0);
    expect(response.code).toBeUndefined();
    expect(response.logs).toHaveLength(1);
    expect(await opened.client().txById(response.txhash)).toMatchObject({ height: response.height });
  });

  test('gets the code of a transaction that the check rejects, when sent a second time', async () => {
    opened = await open('legacy');
    const response = await opened.client().broadcastTx(await opened.signed(7));
    expect(response).toMatchObject({ height: '0', code: 4 });
    expect(response.raw_log).toContain('signature verification failed');
    expect(opened.sandbox.countCalls('/legacy-node/txs')).toBe(1);
  });

  test('gets the code of a transaction that fails in its block', async () => {
    opened = await open('legacy', { running: true });
    const tx = await opened.signed(0, '999999999999999');
    const response = await opened.client(BroadcastMode.Block).broadcastTx(tx);
    expect(Number(response.height)).toBeGreaterThan(0);
    expect(response.code).toBe(5);
    expect(response.raw_log).toContain('is smaller than 999999999999999uatom');
  });

  test('searches in both directions and broadcasts through SigningCosmosClient', async () => {
    opened = await open('legacy', { running: true });
    const client = new CosmosClient(opened.proxy.url, BroadcastMode.Block);
    const sent = await client.broadcastTx(await opened.signed(0));
    if (!('logs' in sent)) throw new Error(`it was refused: ${sent.rawLog}`);
    expect(sent.logs[0]?.events.map(({ type }) => type)).toEqual(['message', 'transfer']);
    for (const sentFromOrTo of [opened.alice, opened.bob]) {
      const [found, ...others] = await client.searchTx({ sentFromOrTo });
      expect([found?.hash, found?.code, others]).toEqual([sent.transactionHash, 0, []]);
    }
    expect(await client.getTx(sent.transactionHash)).toMatchObject({ hash: sent.transactionHash });
  });

  test('reads a rejection by the service as an error of the old API', async () => {
    opened = await open('legacy');
    const client = opened.client();
    await expect(client.txById('F00D')).rejects.toThrow(/\(HTTP 400\)$/);
    await expect(client.bank.balances('cosmos1mistyped')).rejects.toThrow(/\(HTTP 400\)$/);
    expect(opened.sandbox.calls.filter(({ path }) => path.includes('mistyped'))).toEqual([]);
  });

  test('cannot reach calls that the service does not offer', async () => {
    opened = await open('legacy');
    const { proxy, sandbox } = opened;
    const client = LcdClient.withExtensions({ apiUrl: proxy.url }, setupGovExtension);
    await expect(client.gov.proposals()).rejects.toThrow(/\(HTTP 404\)$/);
    await expect(client.encodeTx({ type: 'cosmos-sdk/StdTx', value: await opened.signed(0) })).rejects.toThrow(
      /\(HTTP 40[45]\)$/,
    );
    expect(sandbox.calls).toEqual([]);
  });
});

describe('LcdClient with a modern node behind the service', () => {
  test('reads balances, searches, and finds a transaction by hash', async () => {
    opened = await open('cosmos');
    const { alice, bob, sandbox } = opened;
    const client = opened.client();
    const order = { to: bob, accountNumber: 0, sequence: 0 };
    const tx_bytes = base64(await signedTxRaw(keyOf(sandbox), order));
    // Requests for which the client has no method are sent with its transport.
    const sent = await client.post('/txs', { tx_bytes, mode: 'sync' });
    opened.nextBlock();

    const { result, height } = await client.bank.balances(bob);
    expect(result[0]).toEqual({ denom: 'uatom', amount: '1000000001000' });
    expect(height).toBe(String(sandbox.chain.latest().height));
    const found = await client.txById(sent.txhash);
    expect(found).toMatchObject({ txhash: sent.txhash, height, gas_wanted: '200000' });
    expect(found.code).toBeUndefined();
    const search = await client.txsQuery(`message.sender=${alice}&page=1&limit=10`);
    expect(search).toMatchObject({
      total_count: '1',
      count: '1',
      page_number: '1',
      page_total: '1',
      limit: '10',
    });
    expect(search.txs[0]?.txhash).toBe(sent.txhash);
    expect((await client.txsQuery(`transfer.recipient=${alice}`)).txs).toEqual([]);
  });

  test('gets an understandable error for a message without an amino form, and nothing is sent', async () => {
    opened = await open('cosmos');
    const signed = await opened.signed(0);
    const tx = { ...signed, msg: [{ type: 'wasm/MsgStoreCode', value: {} }] };
    await expect(opened.client().broadcastTx(tx)).rejects.toThrow(/^[^{}]*send tx_bytes[^{}]* \(HTTP 422\)$/);
    expect(opened.sandbox.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('gets an error in the old API’s format for an unknown hash', async () => {
    opened = await open('cosmos');
    await expect(opened.client().txById('0'.repeat(64))).rejects.toThrow(/not found.* \(HTTP 404\)$/);
  });
});
