import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../support/service/service.ts';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { startTestNode, type TestNode } from '../../support/upstream/test-node.ts';
import { DIALECTS, openForWallet } from './open.ts';

const { LCDClient } = createRequire(import.meta.url)('@terra-money/terra.js') as typeof import('@terra-money/terra.js');

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const clientOf = (URL: string) => new LCDClient({ URL, chainID: 'sandbox-1' });

describe.each(DIALECTS)('terra.js 1.8 with only a URL, in front of a %s node', (dialect) => {
  test('reads balances, the chain and its blocks', async () => {
    const opened = await openForWallet(dialect);
    closing.push(opened.close);
    const { alice, url, chain } = opened;
    const client = clientOf(url);
    expect((await client.bank.balance(alice)).toData()).toContainEqual({
      denom: 'uphoton',
      amount: '250000000',
    });
    const info = (await client.tendermint.nodeInfo()) as { node_info: { network: string } };
    expect(info.node_info.network).toBe('sandbox-1');
    const { height } = chain.latest();
    expect((await client.tendermint.blockInfo()).block.header.height).toBe(String(height));
    expect((await client.tendermint.blockInfo(height - 1)).block.header).toMatchObject({
      chain_id: 'sandbox-1',
      height: String(height - 1),
    });
  });
});

/** Recorded responses of a node of its chain, by path. */
async function terraNode(): Promise<{ node: TestNode; service: Service; url: string }> {
  const node = await startTestNode({ dialect: 'legacy' });
  closing.push(node.close);
  const service = await startService({ settings: { NODE_URLS: node.url } });
  closing.push(service.close);
  const url = new URL(`${service.url}/v1/node`);
  url.username = await service.register();
  return { node, service, url: url.href };
}

describe('terra.js 1.8, in front of a node of its chain', () => {
  test.runIf(haveRecordings)('reads recorded transactions, by hash and by search', async () => {
    const { node, url } = await terraNode();
    const name = 'tx_by_hash_terra_col_3038786_failed_code12.json';
    const received = JSON.parse(String(recording('cosmos_legacy', name).body));
    node.state.known.set(received.txhash, received);
    const client = clientOf(url);
    const found = await client.tx.txInfo(received.txhash);
    expect(found.toData()).toMatchObject({ txhash: received.txhash, code: 12, tx: received.tx });
    const { txs } = await client.tx.search({ 'tx.height': 3_038_786 });
    expect(txs.map(({ txhash }) => txhash)).toEqual([received.txhash]);
  });

  test('reads an account with a chain-specific type', async () => {
    const { node, url } = await terraNode();
    const address = 'terra1ehn20npy9jhf6mhryvk8am7xmtk2xsjx5dl7wk';
    const value = {
      address,
      coins: [{ denom: 'uluna', amount: '7' }],
      public_key: null,
      account_number: '1886637',
    };
    node.state.override = ({ path }) =>
      path.startsWith('/auth/accounts/')
        ? { body: JSON.stringify({ height: '9', result: { type: 'core/Account', value } }) }
        : undefined;
    const account = await clientOf(url).auth.accountInfo(address);
    expect([account.address, account.account_number, account.sequence]).toEqual([address, 1_886_637, 0]);
  });
});
