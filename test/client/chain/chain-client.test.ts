import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChainClient, type ChainClientOptions, QuotientError } from '#client/index';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { transferBytes } from '../../../fixtures/signing.ts';
import { failure } from '../failure.ts';

const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const UNKNOWN = 'AB'.repeat(32);
/** More than two pages of balances. */
const COINS = 250;

let sandbox: Sandbox;
let rich: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  rich = String(sandbox.chain.accounts[2]?.address);
  const denoms = Array.from({ length: COINS }, (_, n) => `u${String(n).padStart(4, '0')}`);
  sandbox.chain.fund(
    rich,
    denoms.map((denom) => ({ denom, amount: '7' })),
  );
});
afterAll(() => sandbox?.close());
beforeEach(() => {
  sandbox.clearCalls();
  sandbox.faults.clear();
});

const urlOf = (dialect: 'legacy' | 'cosmos') => (dialect === 'legacy' ? sandbox.legacyNodeUrl : sandbox.cosmosNodeUrl);

describe.each(['legacy', 'cosmos'] as const)('a %s node', (dialect) => {
  const client = () => new ChainClient({ nodeUrl: urlOf(dialect), retries: 0 });

  it('returns every balance, across pages', async () => {
    const { height, result } = await client().balances(rich);
    expect(Number(height)).toBeGreaterThan(0);
    expect(result.filter(({ amount }) => amount === '7')).toHaveLength(COINS);
  });

  it('accepts addresses in upper case', async () => {
    const upper = rich.toUpperCase();
    expect((await client().balances(upper)).result).toEqual((await client().balances(rich)).result);
    expect(await client().account(upper)).toMatchObject({ result: { value: { address: rich } } });
    await client().transactions({ 'message.sender': upper });
    expect(JSON.stringify(sandbox.calls)).not.toContain(upper);
    expect((await failure(client().balances(rich.replace(/.$/, (last) => last.toUpperCase())))).code).toBe(
      'invalid_request',
    );
  });

  it('detects the dialect once', async () => {
    const one = client();
    await Promise.all([one.balances(rich), one.transactions({ 'message.sender': rich })]);
    await one.balances(rich);
    const blocks = sandbox.calls.filter(({ path }) => path.endsWith('/blocks/latest'));
    expect(blocks.filter(({ path }) => path.startsWith(`/${dialect}-node/cosmos`))).toHaveLength(1);
  });

  it('does not detect a dialect that is configured', async () => {
    await new ChainClient({ nodeUrl: urlOf(dialect), dialect }).transactions({ 'message.sender': rich });
    expect(sandbox.calls).toHaveLength(1);
  });

  it('returns empty results in the legacy shape', async () => {
    expect(await client().transactions({ 'message.sender': rich }, { page: 1, limit: 5 })).toEqual({
      total_count: '0',
      count: '0',
      page_number: '1',
      page_total: expect.stringMatching(/^[01]$/),
      limit: '5',
      txs: [],
    });
  });

  it('rejects with 404 for an unknown transaction', async () => {
    const error = await failure(client().transaction(UNKNOWN));
    expect(error).toBeInstanceOf(QuotientError);
    expect(error).toMatchObject({
      code: 'node_rejected',
      status: 404,
      detail: expect.stringContaining('not found'),
    });
  });

  it('reports a failing node, and detects its dialect again', async () => {
    const one = client();
    sandbox.faults.next({ kind: 'status', status: 503 });
    expect(await failure(one.balances(rich))).toMatchObject({ code: 'upstream_unavailable', status: 503 });
    expect((await one.balances(rich)).result.length).toBeGreaterThan(COINS);
  });

  it('reports a malformed response', async () => {
    const one = new ChainClient({ nodeUrl: urlOf(dialect), dialect, retries: 0 });
    sandbox.faults.next({ kind: 'html', status: 200 });
    expect((await failure(one.balances(rich))).code).toBe('upstream_invalid');
  });

  it('retries after a transient failure', async () => {
    const one = new ChainClient({ nodeUrl: urlOf(dialect), dialect });
    sandbox.faults.next({ kind: 'status', status: 502 }, { times: 2 });
    expect((await one.balances(rich)).result.length).toBeGreaterThan(COINS);
  });
});

it('rejects arguments that would change the path', async () => {
  const one = new ChainClient({ nodeUrl: sandbox.cosmosNodeUrl });
  for (const bad of ['../../status', '..%2f..%2fstatus', 'http://example.org', `${rich}?x=1`, `${rich}/..`, '']) {
    expect((await failure(one.balances(bad))).code).toBe('invalid_request');
    expect((await failure(one.transaction(bad))).code).toBe('invalid_request');
  }
  expect(sandbox.calls).toHaveLength(0);
});

it('sends no key to a node', async () => {
  const sent: unknown[] = [];
  const spy: NonNullable<ChainClientOptions['fetch']> = (url, init) => {
    sent.push(init.headers);
    return fetch(url, init);
  };
  await new ChainClient({ nodeUrl: sandbox.cosmosNodeUrl, fetch: spy }).balances(rich);
  expect(JSON.stringify(sent)).not.toContain('x-api-key');
});

describe('networks', () => {
  const networks = {
    testnet: {
      nodeUrl: 'https://node.example/rest',
      explorer: {
        transaction: 'https://explorer.example/tx/{hash}',
        address: 'https://explorer.example/account/{address}',
      },
    },
  };

  it('are selected from a table, with the links to their explorer', () => {
    const { explorer } = new ChainClient({ network: 'testnet', networks });
    expect(explorer.transaction(UNKNOWN)).toBe(`https://explorer.example/tx/${UNKNOWN}`);
    expect(explorer.address(rich.toUpperCase())).toBe(`https://explorer.example/account/${rich}`);
    expect(explorer.address('../x?y')).toBe('https://explorer.example/account/..%2Fx%3Fy');
  });

  it('have no links without a template', () => {
    const { explorer } = new ChainClient({ nodeUrl: 'https://node.example' });
    expect([explorer.transaction(UNKNOWN), explorer.address('a')]).toEqual([undefined, undefined]);
  });

  it('receive a key next to the table only at the URL of a service', async () => {
    const keys: Record<string, string | null> = {};
    const spy: NonNullable<ChainClientOptions['fetch']> = async (url, init) => {
      keys[new URL(url).host] = new Headers(init.headers).get('x-api-key');
      return new Response('{}');
    };
    const table = {
      mainnet: { nodeUrl: 'https://quotient.example/v1/node' },
      testnet: { nodeUrl: 'https://node.example/rest' },
      devnet: { nodeUrl: 'https://own.example/renamed', apiKey: 'qt_own' },
    };
    for (const network of ['mainnet', 'testnet', 'devnet'] as const) {
      const options = { network, networks: table, apiKey: 'qt_beside', fetch: spy };
      await failure(new ChainClient(options).balances(rich));
    }
    expect(keys).toEqual({
      'quotient.example': 'qt_beside',
      'node.example': null,
      'own.example': 'qt_own',
    });
  });

  it('may have an undefined template', () => {
    const { explorer } = new ChainClient({
      nodeUrl: 'https://node.example',
      explorer: { transaction: undefined, address: 'https://explorer.example/{address}' },
    });
    expect([explorer.transaction(UNKNOWN), explorer.address('a')]).toEqual([undefined, 'https://explorer.example/a']);
  });

  it('are rejected if they are not in the table, or if a link is not an HTTP URL', () => {
    expect(() => new ChainClient({ network: 'mainnet', networks })).toThrow(QuotientError);
    const explorer = { transaction: 'javascript:alert({hash})' };
    expect(() => new ChainClient({ nodeUrl: 'https://node.example', explorer })).toThrow(QuotientError);
  });
});

describe('input that looks like a secret is rejected before anything is sent, and is not in the error', () => {
  const key = 'c0ffee'.repeat(10).padEnd(64, '0');
  const client = () => new ChainClient({ nodeUrl: sandbox.cosmosNodeUrl });

  it.each<[string, () => Promise<unknown>]>([
    ['a seed phrase for an address', () => client().balances(MNEMONIC)],
    ['a key for an address', () => client().balances(`0x${key}`)],
    ['a seed phrase in a filter', () => client().transactions({ 'message.sender': MNEMONIC })],
    ['a seed phrase for a transaction', () => client().broadcast(MNEMONIC)],
    ['a key for a transaction', () => client().broadcast(key)],
    [
      'a member of a transaction',
      () => client().broadcast({ msg: [], fee: {}, signatures: [{}], mnemonic: MNEMONIC } as never),
    ],
  ])('%s', async (_what, call) => {
    const error = await failure(call());
    expect(error.code).toBe('secret_in_request');
    expect(String(error)).not.toMatch(/abandon|c0ffee/);
    expect(sandbox.calls).toHaveLength(0);
  });

  it.each([
    ['32 bytes', new Uint8Array(32)],
    ['32 bytes in base64', btoa('x'.repeat(32))],
    ['invalid base64', 'hello, world'],
    ['an unsigned StdTx', { msg: [], fee: {}, signatures: [] }],
    ['null', null as never],
  ])('an invalid transaction: %s', async (_what, tx) => {
    expect((await failure(client().broadcast(tx))).code).toBe('invalid_request');
    expect(sandbox.calls).toHaveLength(0);
  });

  it.each([{ mnemonic: MNEMONIC }, { privateKey: 'x' }, { wallet: {} }])('an option: %o', (options) => {
    expect(() => new ChainClient({ nodeUrl: 'https://node.example', ...options })).toThrow(/never accepts secrets/);
  });

  it('a signed transaction is accepted', async () => {
    const tx = await transferBytes(sandbox, { to: rich });
    expect((await client().broadcast(tx)).code).toBeUndefined();
  });
});
