import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChainClient, type QuotientError } from '#client/index';
import { SECOND } from '#core/clock';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { transferBytes, transferStdTx } from '../../../fixtures/signing.ts';
import { type Service, startService } from '../../support/service/service.ts';

const UNKNOWN = 'AB'.repeat(32);
const SOON = { interval: 10, timeout: 20_000 };

const outcome = (promise: Promise<unknown>) =>
  promise.catch(({ code, status, detail }: QuotientError) => ({ code, status, detail }));

describe.each(['legacy', 'cosmos'] as const)('through the service, in front of a %s node', (dialect) => {
  let clock: TestClock;
  let nodes: Sandbox;
  let service: Service;
  let direct: ChainClient;
  let through: ChainClient;
  let sender: string;
  let to: string;
  beforeAll(async () => {
    clock = createTestClock('2026-03-01T12:00:00Z');
    nodes = await startSandbox({ clock });
    [sender = '', to = ''] = nodes.chain.accounts.map(({ address }) => address);
    const nodeUrl = dialect === 'legacy' ? nodes.legacyNodeUrl : nodes.cosmosNodeUrl;
    service = await startService({
      settings: {
        BASE_PATH: '/market',
        NODE_URLS: nodeUrl,
        EXPLORER_TX_URL: 'https://explorer.example/tx/{hash}',
        EXPLORER_ADDRESS_URL: 'https://explorer.example/address/{address}',
      },
    });
    // Each look-up advances the chain's clock by a second.
    const onAnswer = () => clock.advance(SECOND);
    direct = new ChainClient({ nodeUrl, retries: 0 });
    const apiKey = await service.createUser();
    through = new ChainClient({ nodeUrl: `${service.url}/v1/node`, apiKey, retries: 0, onAnswer });
  });
  afterAll(async () => {
    await service?.close();
    await nodes?.close();
  });

  it('broadcasts a signed transaction, and waits for its block', async () => {
    const transfer = { to, amount: '12345' };
    const tx = dialect === 'legacy' ? await transferStdTx(nodes, transfer) : await transferBytes(nodes, transfer);
    const before = (await direct.balances(to)).result;
    const found = await through.broadcast(tx, { wait: SOON });
    expect(found.code).toBeUndefined();
    expect(Number(found.height)).toBeGreaterThan(0);
    const after = (await direct.balances(to)).result;
    const of = (coins: typeof after) => Number(coins.find(({ denom }) => denom === 'uatom')?.amount);
    expect(of(after) - of(before)).toBe(12_345);
    expect(await through.transaction(found.txhash)).toEqual(await direct.transaction(found.txhash));
  });

  it('the account, the chain ID and the latest block are those of the node', async () => {
    const account = await through.account(sender);
    expect(account.result).toMatchObject({
      type: 'cosmos-sdk/Account',
      value: { address: sender, account_number: '0', sequence: expect.stringMatching(/^\d+$/) },
    });
    expect(account.result).toEqual((await direct.account(sender)).result);
    expect(await through.chainId()).toBe('sandbox-1');
    expect(await direct.chainId()).toBe('sandbox-1');
    const block = await through.latestBlock();
    expect(Number(block.block.header.height)).toBeGreaterThan(0);
    expect(block.block.header.chain_id).toBe('sandbox-1');
    const none = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';
    expect((await through.account(none)).result.value).toMatchObject({ address: '', sequence: '0' });
    await expect(through.account('cosmos1mistyped')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('about() has the explorer page if the service is configured with one', async () => {
    const balances = await through.balances(sender);
    expect(through.about(balances)?.explorer).toBe(`https://explorer.example/address/${sender}`);
    const { txs } = await through.transactions({ 'message.sender': sender });
    const found = await through.transaction(String(txs[0]?.txhash));
    expect(through.about(found)).toMatchObject({
      status: 200,
      explorer: `https://explorer.example/tx/${found.txhash}`,
    });
    expect(direct.about(await direct.balances(sender))?.explorer).toBeUndefined();
  });

  it('a transaction that the chain rejects is returned with its code', async () => {
    const stale = { to, sequence: 0, amount: '7' };
    const tx = dialect === 'legacy' ? await transferStdTx(nodes, stale) : await transferBytes(nodes, stale);
    expect((await through.broadcast(tx, { wait: SOON })).code).toBe(dialect === 'legacy' ? 4 : 32);
  });

  it.each<[string, (client: ChainClient) => Promise<unknown>]>([
    ['balances', (client) => client.balances(to)],
    ['a search', (client) => client.transactions({ 'message.sender': sender }, { page: 1, limit: 10 })],
    ['a search by conditions', (client) => client.transactions({ query: `transfer.recipient='${to}'` })],
    ['a search without conditions', (client) => client.transactions({ page: 1 })],
    ['an unknown hash', (client) => client.transaction(UNKNOWN)],
  ])('the results are those of the node: %s', async (_what, call) => {
    const theirs = await outcome(call(direct));
    const ours = await outcome(call(through));
    expect({ ...(ours as object), height: '' }).toEqual({ ...(theirs as object), height: '' });
  });

  it('an unsupported transaction is rejected as by the node', async () => {
    const transfer = { to, sequence: 1 };
    const amino = await transferStdTx(nodes, transfer);
    const unknown = { ...amino, msg: [{ type: 'wasm/MsgStoreCode', value: {} }] };
    const tx = dialect === 'legacy' ? await transferBytes(nodes, transfer) : unknown;
    const theirs = await outcome(direct.broadcast(tx));
    const ours = await outcome(through.broadcast(tx));
    expect(ours).toMatchObject({ code: 'node_rejected', status: 422 });
    expect(theirs).toMatchObject({ code: 'node_rejected', status: 422 });
  });

  it('problems of the service are reported', async () => {
    const stranger = new ChainClient({ nodeUrl: `${service.url}/v1/node` });
    expect(await outcome(stranger.balances(to))).toMatchObject({ code: 'api_key_missing', status: 401 });
    const broken = to.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'));
    expect(await outcome(through.balances(broken))).toMatchObject({ code: 'invalid_request', status: 400 });
  });
});

it('a service without a node is not retried', async () => {
  const service = await startService();
  try {
    const answers: number[] = [];
    const onAnswer = ({ status }: { status: number }) => answers.push(status);
    const nodeUrl = `${service.url}/v1/node`;
    const client = new ChainClient({ nodeUrl, apiKey: await service.createUser(), onAnswer });
    expect(await outcome(client.transaction(UNKNOWN))).toMatchObject({
      code: 'node_not_configured',
      status: 503,
    });
    expect(answers).toEqual([503]);
  } finally {
    await service.close();
  }
});
