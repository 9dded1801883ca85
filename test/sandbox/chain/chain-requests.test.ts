import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashOf } from '#sandbox/chain/transaction';
import { base64 } from '../../../fixtures/signing.ts';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
beforeEach(async () => {
  chain = await openChain();
});
afterEach(() => chain.close());

const TXS = '/cosmos/tx/v1beta1/txs';

test('mode block is supported only before SDK 0.47', async () => {
  expect(await chain.postDirect(await chain.txRaw(), 'BLOCK')).toMatchObject({
    status: 500,
    body: { code: 2, message: 'unsupported return type unspecified; supported types: sync, async' },
  });
  const old = await openChain({ sdk: '0.45' });
  const { body } = await old.postDirect(await old.txRaw(), 'BLOCK');
  expect(body).toMatchObject({ code: 0, height: String(old.sandbox.chain.latest().height) });
  await old.close();
});

test.each<[string, unknown, number]>([
  ['no bytes', { mode: 'BROADCAST_MODE_SYNC' }, 400],
  ['empty bytes', { tx_bytes: '', mode: 'BROADCAST_MODE_SYNC' }, 400],
  ['invalid base64', { tx_bytes: '*', mode: 'BROADCAST_MODE_SYNC' }, 400],
  ['an amino transaction', { tx: {}, mode: 'sync' }, 400],
  ['an unknown mode', { tx_bytes: 'AAAA', mode: 'sync' }, 500],
])('the modern interface rejects a broadcast with %s', async (_name, body, status) => {
  const response = await chain.cosmos(TXS, body);
  expect(response).toEqual({
    status,
    body: { code: status === 400 ? 3 : 2, message: expect.any(String), details: [] },
  });
});

test.each<[string, unknown, number]>([
  ['an unknown mode', { tx: {}, mode: 'BROADCAST_MODE_SYNC' }, 500],
  ['no mode', { tx: {} }, 400],
  ['a transaction with invalid types', { tx: { msg: 'x' }, mode: 'sync' }, 400],
])('the legacy interface rejects a broadcast with %s', async (_name, body, status) => {
  expect(await chain.legacy('/txs', body)).toEqual({ status, body: { error: expect.any(String) } });
});

test('bodies that are not JSON', async () => {
  const post = (url: string) => fetch(url, { method: 'POST', body: '{"tx' });
  const [old, modern] = [
    await post(`${chain.sandbox.legacyNodeUrl}/txs`),
    await post(chain.sandbox.cosmosNodeUrl + TXS),
  ];
  expect([old.status, modern.status]).toEqual([400, 400]);
  expect([Object.keys(Object(await old.json())), Object.keys(Object(await modern.json()))]).toEqual([
    ['error'],
    ['code', 'message', 'details'],
  ]);
});

test('a legacy node treats bytes as an empty transaction', async () => {
  const { status, body } = await chain.legacy('/txs', {
    tx_bytes: base64(await chain.txRaw()),
    mode: 'sync',
  });
  expect([status, body.code]).toEqual([200, 18]);
});

test('unknown paths', async () => {
  expect(await chain.legacy('/cosmos/tx/v1beta1/txs/x')).toEqual({
    status: 404,
    body: '404 page not found\n',
  });
  for (const path of ['/txs/', '/txs/a/b', '/txs/%zz', '/status']) expect((await chain.legacy(path)).status).toBe(404);
  expect((await chain.cosmos('/cosmos/bank/v1beta1/supply')).status).toBe(501);
  expect((await chain.legacy('/bank/balances/x', {})).status).toBe(404);
});

describe('faults', () => {
  test('apply to one node or to both, and calls are counted by node and endpoint', async () => {
    const { faults, countCalls } = chain.sandbox;
    faults.always({ kind: 'status', status: 503 }, { path: '/legacy-node' });
    expect((await chain.legacy(`/bank/balances/${chain.alice}`)).status).toBe(503);
    expect((await chain.cosmos(`/cosmos/bank/v1beta1/balances/${chain.alice}`)).status).toBe(200);
    expect(countCalls('/legacy-node/bank/balances/{id}')).toBe(1);
    expect(countCalls('/cosmos-node/cosmos/bank/v1beta1/balances/{id}')).toBe(1);
  });

  test.each(['resetMidway', 'truncated'] as const)(
    '%s: the response is lost, but the transaction is accepted',
    async (kind) => {
      chain.sandbox.faults.next({ kind });
      const bytes = await chain.txRaw();
      await expect(chain.postDirect(bytes)).rejects.toThrow();
      chain.pass();
      expect((await chain.legacy(`/txs/${hashOf(bytes)}`)).status).toBe(200);
    },
  );

  test('reset: the transaction is not accepted', async () => {
    chain.sandbox.faults.next({ kind: 'reset' });
    const bytes = await chain.txRaw();
    await expect(chain.postDirect(bytes)).rejects.toThrow();
    chain.pass();
    expect((await chain.legacy(`/txs/${hashOf(bytes)}`)).status).toBe(404);
  });
});
