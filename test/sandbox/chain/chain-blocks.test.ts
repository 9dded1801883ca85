import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf } from '#sandbox/chain/transaction';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
beforeEach(async () => {
  chain = await openChain();
});
afterEach(() => chain.close());

const heightOf = (chain: TestChain) => chain.sandbox.chain.latest().height;

test('a block every six seconds of the clock, shared by both nodes', async () => {
  const first = heightOf(chain);
  chain.clock.advance(5_999);
  expect(heightOf(chain)).toBe(first);
  chain.clock.advance(1);
  expect(heightOf(chain)).toBe(first + 1);
  chain.pass(1_000);
  const old = await chain.legacy('/blocks/latest');
  const modern = await chain.cosmos('/cosmos/base/tendermint/v1beta1/blocks/latest');
  expect(old.body.block.header).toMatchObject({ height: String(first + 1_001), chain_id: 'sandbox-1' });
  expect(modern.body.block.header).toMatchObject({
    height: String(first + 1_001),
    time: '2026-05-15T16:22:31.300Z',
  });
});

test('sync: accepted, but not found by hash until the next block', async () => {
  const bytes = await chain.txRaw();
  const hash = hashOf(bytes);
  const { body } = await chain.postDirect(bytes);
  expect(body).toMatchObject({ height: '0', txhash: hash, code: 0, tx: null, timestamp: '' });
  expect((await chain.legacy(`/txs/${hash}`)).status).toBe(404);
  expect((await chain.cosmos(`/cosmos/tx/v1beta1/txs/${hash}`)).status).toBe(404);

  const before = heightOf(chain);
  chain.pass(3);
  const { tx_response } = (await chain.cosmos(`/cosmos/tx/v1beta1/txs/${hash.toLowerCase()}`)).body;
  expect(tx_response).toMatchObject({
    height: String(before + 1),
    txhash: hash,
    code: 0,
    timestamp: '2026-05-15T14:42:31Z',
  });
});

test('async: responds before any check', async () => {
  const [good, bad] = [await chain.txRaw(), await chain.txRaw({ sequence: 9 })];
  for (const bytes of [bad, good]) {
    expect((await chain.postDirect(bytes, 'ASYNC')).body).toMatchObject({ code: 0, txhash: hashOf(bytes) });
  }
  chain.pass();
  expect((await chain.legacy(`/txs/${hashOf(good)}`)).status).toBe(200);
  expect((await chain.legacy(`/txs/${hashOf(bad)}`)).status).toBe(404);
});

test('block: creates a block immediately, and the next one six seconds later', async () => {
  const before = heightOf(chain);
  chain.clock.advance(4_000);
  const { body } = await chain.postAmino(await chain.stdTx(), 'block');
  expect(body).toMatchObject({ height: String(before + 1), gas_wanted: '200000' });
  expect(body.code).toBeUndefined();
  chain.clock.advance(5_999);
  expect(heightOf(chain)).toBe(before + 1);
  chain.clock.advance(1);
  expect(heightOf(chain)).toBe(before + 2);
});

test('repeated bytes are in the cache, before and after the block', async () => {
  const bytes = await chain.txRaw();
  const stdTx = await chain.stdTx({ sequence: 1 });
  await chain.postDirect(bytes);
  const first = await chain.postAmino(stdTx);
  for (const _ of [1, 2]) {
    expect((await chain.postDirect(bytes)).body).toMatchObject({
      ...{ code: 19, codespace: 'sdk', txhash: hashOf(bytes), raw_log: '' },
    });
    expect((await chain.postAmino(stdTx)).body).toEqual({
      ...{ height: '0', txhash: first.body.txhash, codespace: 'sdk', code: 19 },
    });
    chain.pass();
  }
  expect((await chain.cosmos(`/cosmos/auth/v1beta1/accounts/${chain.alice}`)).body.account.sequence).toBe('2');
});

test('a rejected transaction may be sent again', async () => {
  const early = await chain.txRaw({ sequence: 1 });
  expect((await chain.postDirect(early)).body.code).toBe(32);
  await chain.postDirect(await chain.txRaw());
  expect((await chain.postDirect(early)).body.code).toBe(0);
});

test('accounts, height and hashes are determined by the seed and the clock', async () => {
  const other = await openChain();
  const bytes = await chain.txRaw();
  expect(other.sandbox.chain.accounts).toEqual(chain.sandbox.chain.accounts);
  expect(await other.txRaw()).toEqual(bytes);
  expect(heightOf(other)).toBe(heightOf(chain));
  await other.close();
});

test('a clock that moves back creates no block', async () => {
  const before = heightOf(chain);
  chain.clock.advance(-60_000);
  expect(heightOf(chain)).toBe(before);
});
