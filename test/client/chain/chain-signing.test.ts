import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChainClient } from '#client/index';
import { MINUTE, SECOND } from '#core/clock';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { transferBytes, transferStdTx } from '../../../fixtures/signing.ts';
import { failure } from '../failure.ts';

/** The time between two blocks. */
const BLOCK = 6 * SECOND;
const SOON = { interval: 5, timeout: MINUTE };

let clock: TestClock;
let sandbox: Sandbox;
let to: string;
beforeEach(async () => {
  clock = createTestClock('2026-03-01T12:00:00Z');
  sandbox = await startSandbox({ clock });
  to = String(sandbox.chain.accounts[1]?.address);
});
afterEach(() => sandbox?.close());

/** A client for a node with this dialect. Each look-up advances the clock by a second. */
const client = (dialect: 'legacy' | 'cosmos', fetch = globalThis.fetch) =>
  new ChainClient({
    nodeUrl: dialect === 'legacy' ? sandbox.legacyNodeUrl : sandbox.cosmosNodeUrl,
    fetch: (url, init) => fetch(url, init),
    retries: 0,
    onAnswer: () => clock.advance(SECOND),
  });

const amountOf = async (address: string) =>
  Number((await client('cosmos').balances(address)).result.find(({ denom }) => denom === 'uatom')?.amount);

const posts = () => sandbox.calls.filter(({ method }) => method === 'POST').length;

describe('a transaction that CosmJS signed', () => {
  it('is sent to a modern node as bytes, and its block is awaited', async () => {
    const before = await amountOf(to);
    const tx = await transferBytes(sandbox, { to });
    const found = await client('cosmos').broadcast(tx, { wait: SOON });
    expect(found).toMatchObject({ txhash: expect.stringMatching(/^[0-9A-F]{64}$/), tx: expect.anything() });
    expect(found.code).toBeUndefined();
    expect(Number(found.height)).toBeGreaterThan(0);
    expect((await amountOf(to)) - before).toBe(1_000_000);
    expect(await client('cosmos').transaction(found.txhash)).toEqual(found);
  });

  it('is accepted as base64', async () => {
    const tx = Buffer.from(await transferBytes(sandbox, { to })).toString('base64');
    const sent = await client('cosmos').broadcast(tx);
    expect(sent).toMatchObject({ height: '0' });
    expect(sent.code).toBeUndefined();
  });

  it('is sent to a legacy node as amino JSON', async () => {
    const before = await amountOf(to);
    const found = await client('legacy').broadcast(await transferStdTx(sandbox, { to }), { wait: SOON });
    expect(Number(found.height)).toBeGreaterThan(0);
    expect((await amountOf(to)) - before).toBe(1_000_000);
    const { txs, total_count } = await client('legacy').transactions({ 'transfer.recipient': to });
    expect([total_count, txs[0]?.txhash]).toEqual(['1', found.txhash]);
  });

  it.each(['legacy', 'cosmos'] as const)('is awaited with mode block: %s', async (dialect) => {
    const tx = dialect === 'legacy' ? await transferStdTx(sandbox, { to }) : await transferBytes(sandbox, { to });
    const found = await client(dialect).broadcast(tx, { mode: 'block', wait: SOON });
    expect(Number(found.height)).toBeGreaterThan(0);
  });
});

describe('a transaction that the node already has', () => {
  const send = async (options = {}) => {
    const tx = await transferBytes(sandbox, { to });
    const first = await client('cosmos').broadcast(tx);
    clock.advance(BLOCK);
    const again = await client('cosmos', cached as typeof fetch).broadcast(tx, options);
    return { first, again };
  };
  /** A node that reports every transaction as already known. */
  const cached = async (url: string, init?: RequestInit) => {
    if (init?.method !== 'POST') return fetch(url, init);
    const txhash = String((await client('cosmos').transactions({ 'transfer.recipient': to })).txs[0]?.txhash);
    const response = { height: '0', txhash, code: 19, codespace: 'sdk', raw_log: 'tx already in mempool' };
    return Response.json({ tx_response: response });
  };

  it.each([{}, { wait: SOON }])('is found by its hash: %o', async (options) => {
    const { first, again } = await send(options);
    expect(again).toMatchObject({ txhash: first.txhash, height: expect.stringMatching(/^[1-9]/) });
    expect(again.code).toBeUndefined();
  });

  it('is found when the node reports it as an error', async () => {
    const tx = await transferBytes(sandbox, { to });
    await client('cosmos').broadcast(tx);
    clock.advance(BLOCK);
    const refusing = async (url: string, init?: RequestInit) =>
      init?.method === 'POST'
        ? Response.json({ code: 2, message: 'tx already exists in cache', details: [] }, { status: 500 })
        : fetch(url, init);
    const again = await client('cosmos', refusing as typeof fetch).broadcast(tx);
    expect(Number(again.height)).toBeGreaterThan(0);
  });

  it('is the response of the node if the transaction is not found', async () => {
    const tx = await transferBytes(sandbox, { to });
    const { txhash } = await client('cosmos').broadcast(tx);
    const forgetful = async (_url: string, init?: RequestInit) =>
      init?.method === 'POST'
        ? Response.json({ tx_response: { height: '0', txhash, code: 19, raw_log: 'tx already in mempool' } })
        : Response.json({ code: 5, message: 'tx not found', details: [] }, { status: 404 });
    const one = new ChainClient({
      nodeUrl: sandbox.cosmosNodeUrl,
      dialect: 'cosmos',
      fetch: forgetful as typeof fetch,
    });
    expect(await one.broadcast(tx)).toMatchObject({ txhash, code: 19 });
  });
});

it('a response for another transaction is rejected', async () => {
  const lying = async (url: string, init?: RequestInit) =>
    init?.method === 'POST'
      ? Response.json({ tx_response: { height: '0', txhash: 'AB'.repeat(32) } })
      : fetch(url, init);
  const tx = await transferBytes(sandbox, { to });
  const error = await failure(client('cosmos', lying as typeof fetch).broadcast(tx));
  expect(error).toMatchObject({ code: 'upstream_invalid', txhash: expect.stringMatching(/^[0-9A-F]{64}$/) });
  expect(error.txhash).not.toBe('AB'.repeat(32));
});

it('base64 may contain white space and omit its padding', async () => {
  const tx = Buffer.from(await transferBytes(sandbox, { to })).toString('base64');
  const loose = tx.replaceAll(/.{64}/g, '$&\n').replace(/=+$/, '');
  expect((await client('cosmos').broadcast(loose)).code).toBeUndefined();
});

describe('a transaction that the chain rejects is returned with its code', () => {
  it('for a signature of another account', async () => {
    const tx = await transferBytes(sandbox, { to });
    tx[tx.length - 1] = Number(tx.at(-1)) ^ 1;
    const rejected = await client('cosmos').broadcast(tx, { wait: SOON });
    expect(rejected).toMatchObject({
      code: 4,
      codespace: 'sdk',
      raw_log: expect.stringContaining('unauthorized'),
    });
  });

  it('for a signature of another amount', async () => {
    const tx = await transferStdTx(sandbox, { to });
    const [message] = tx.msg;
    const greedy = { ...message?.value, amount: [{ denom: 'uatom', amount: '9000000' }] };
    const forged = { ...tx, msg: [{ ...message, value: greedy }] };
    expect((await client('legacy').broadcast(forged)).code).toBe(4);
  });

  it('for insufficient funds', async () => {
    const tx = await transferBytes(sandbox, { to, amount: '999999999999999' });
    const found = await client('cosmos').broadcast(tx, { wait: SOON });
    expect(found).toMatchObject({ code: 5, raw_log: expect.stringContaining('insufficient funds') });
  });
});

describe('a node of the other dialect', () => {
  it('receives amino JSON as bytes, and the chain verifies the signature', async () => {
    const before = await amountOf(to);
    const found = await client('cosmos').broadcast(await transferStdTx(sandbox, { to }), { wait: SOON });
    expect(found.code).toBeUndefined();
    expect((await amountOf(to)) - before).toBe(1_000_000);
    expect(posts()).toBe(1);
  });

  it('rejects a transaction that amino JSON cannot express', async () => {
    const { msg, ...rest } = await transferStdTx(sandbox, { to });
    const unknown = { ...rest, msg: msg.map((one) => ({ ...one, type: 'wasm/MsgExecuteContract' })) };
    const error = await failure(client('cosmos').broadcast(unknown));
    expect(error).toMatchObject({
      code: 'node_rejected',
      status: 422,
      detail: expect.stringMatching(/wasm\/MsgExecuteContract.*tx_bytes/),
    });
    expect(posts()).toBe(0);
  });

  it('rejects bytes', async () => {
    const error = await failure(client('legacy').broadcast(await transferBytes(sandbox, { to })));
    expect(error).toMatchObject({ code: 'node_rejected', status: 422 });
  });
});

describe('a broadcast without a response', () => {
  /** The request arrives, but the response is lost. */
  const loseResponse = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    if (init?.method === 'POST') throw new TypeError('terminated');
    return response;
  };
  const lossy = () => client('cosmos', loseResponse as typeof fetch);

  it('rejects with the hash, and is not repeated', async () => {
    const error = await failure(lossy().broadcast(await transferBytes(sandbox, { to })));
    expect(error).toMatchObject({ code: 'network', txhash: expect.stringMatching(/^[0-9A-F]{64}$/) });
    expect(posts()).toBe(1);
    clock.advance(BLOCK);
    expect((await client('cosmos').transaction(String(error.txhash))).txhash).toBe(error.txhash);
  });

  it('rejects with the hash after an error of a proxy', async () => {
    const one = client('cosmos');
    await one.balances(to);
    sandbox.faults.next({ kind: 'status', status: 502 }, { path: '/txs' });
    const error = await failure(one.broadcast(await transferBytes(sandbox, { to }), { wait: SOON }));
    expect(error).toMatchObject({
      code: 'upstream_unavailable',
      txhash: expect.stringMatching(/^[0-9A-F]{64}$/),
    });
    expect(posts()).toBe(1);
  });

  it('rejects without a hash if nothing was sent', async () => {
    const tx = await transferBytes(sandbox, { to });
    await sandbox.close();
    const error = await failure(client('cosmos').broadcast(tx, { wait: SOON }));
    expect([error.code, error.txhash]).toEqual(['network', undefined]);
  });

  it('is looked up with wait', async () => {
    const found = await lossy().broadcast(await transferBytes(sandbox, { to }), { wait: SOON });
    expect(Number(found.height)).toBeGreaterThan(0);
    expect(posts()).toBe(1);
  });
});

describe('the wait', () => {
  it('times out, with the hash in the error', async () => {
    const other = new ChainClient({ nodeUrl: sandbox.cosmosNodeUrl });
    const tx = await transferBytes(sandbox, { to });
    const error = await failure(other.broadcast(tx, { wait: { interval: 5, timeout: 40 } }));
    expect(error).toMatchObject({ code: 'timeout', txhash: expect.stringMatching(/^[0-9A-F]{64}$/) });
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    let lookUps = 0;
    const impatient = new ChainClient({
      nodeUrl: sandbox.cosmosNodeUrl,
      onAnswer({ method, path }) {
        if (method === 'GET' && path.includes('/txs/') && ++lookUps === 3) controller.abort();
      },
    });
    const wait = { interval: 5, signal: controller.signal };
    const scontroller = impatient.broadcast(await transferBytes(sandbox, { to }), { wait });
    await expect(scontroller).rejects.toMatchObject({ name: 'AbortError' });
    expect(posts()).toBe(1);
  });

  it('survives transient failures of the node', async () => {
    const patient = new ChainClient({
      nodeUrl: sandbox.cosmosNodeUrl,
      retries: 0,
      onAnswer({ method }) {
        if (method === 'POST') {
          sandbox.faults.next({ kind: 'status', status: 503 }, { times: 2, path: '/txs/' });
          sandbox.faults.next({ kind: 'reset' }, { times: 2, path: '/txs/' });
        }
        clock.advance(SECOND);
      },
    });
    const found = await patient.broadcast(await transferBytes(sandbox, { to }), { wait: SOON });
    expect(Number(found.height)).toBeGreaterThan(0);
  });
});
