import { afterEach, beforeEach, expect, test } from 'vitest';
import { FEE_COLLECTOR } from '#sandbox/chain/deliver';
import { hashOf } from '#sandbox/chain/transaction';
import { keyOf, type Order, signedTxRaw } from '../../../fixtures/signing.ts';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
beforeEach(async () => {
  chain = await openChain();
});
afterEach(() => chain.close());

const START = 1_000_000_000_000n;

async function holds(address: string, denom = 'uatom'): Promise<bigint> {
  const { body } = await chain.legacy(`/bank/balances/${address}`);
  const coin = body.result.find((each: { denom: string }) => each.denom === denom);
  return BigInt(coin?.amount ?? 0);
}

test('a send transfers the amount, and the fee is paid to the fee collector', async () => {
  await chain.postDirect(await chain.txRaw({ amount: '1234', fee: '600' }));
  expect(await holds(chain.alice)).toBe(START);
  chain.pass();
  expect(await holds(chain.alice)).toBe(START - 1_834n);
  expect(await holds(chain.bob)).toBe(START + 1_234n);
  expect(await holds(FEE_COLLECTOR)).toBe(600n);
});

test.each<[string, Partial<Order>, number, RegExp]>([
  ['a fee below the price of gas', { fee: '499' }, 13, /got: 499uatom required: 500uatom: insufficient fee$/],
  ['an unaffordable fee', { fee: String(START + 1n) }, 5, /is smaller than 1000000000001uatom: insuff/],
  ['an amount of zero', { amount: '0' }, 10, /^0uatom: invalid coins$/],
  ['an address of another chain', { to: 'kava1l8va9zyl50cpzv447c694k3jndelc9ygtfll2m' }, 7, /Invalid recipient/],
  ['a mistyped address', { to: 'cosmos1mistyped' }, 7, /Invalid recipient/],
  ['a memo that is too long', { memo: 'x'.repeat(257) }, 12, /256 but received 257 characters/],
])('rejected immediately: %s', async (_name, changes, code, raw_log) => {
  const { body } = await chain.postDirect(await chain.txRaw(changes));
  expect(body).toMatchObject({ code, codespace: 'sdk', raw_log: expect.stringMatching(raw_log) });
  chain.pass();
  expect(await holds(chain.alice)).toBe(START);
});

test.each<[string, Partial<Order>, number, RegExp]>([
  ['more than the balance', { amount: String(START) }, 5, /message index: 0: 999999999500uatom is smaller than/],
  ['a coin that the sender does not have', { denom: 'uluna' }, 5, /0uluna is smaller than 1000uluna/],
  ['too little gas', { gas: '50000' }, 11, /gasWanted: 50000, gasUsed: \d+: out of gas$/],
])('accepted, and rejected in the block, where the fee is charged: %s', async (_name, changes, code, log) => {
  const bytes = await chain.txRaw(changes);
  expect((await chain.postDirect(bytes)).body.code).toBe(0);
  chain.pass();
  const { body } = await chain.cosmos(`/cosmos/tx/v1beta1/txs/${hashOf(bytes)}`);
  expect(body.tx_response).toMatchObject({ code, logs: [], raw_log: expect.stringMatching(log) });
  const old = await chain.legacy(`/txs/${hashOf(bytes)}`);
  expect([old.body.code, old.body.logs]).toEqual([code, undefined]);
  expect(JSON.parse(old.body.raw_log)).toMatchObject({ codespace: 'sdk', code });
  expect([await holds(chain.alice), await holds(FEE_COLLECTOR)]).toEqual([START - 500n, 500n]);
});

test('the fees of pending transactions cannot be spent', async () => {
  const place = 2;
  const [, , carol] = chain.sandbox.chain.accounts;
  await chain.postDirect(await chain.txRaw({ accountNumber: 2, fee: String(START - 700n) }, place));
  const { body } = await chain.postDirect(await chain.txRaw({ accountNumber: 2, sequence: 1, fee: '701' }, place));
  expect(body).toMatchObject({ code: 5, raw_log: '700uatom is smaller than 701uatom: insufficient funds' });
  chain.pass();
  expect(await holds(carol?.address ?? '')).toBe(700n);
});

test('a message other than MsgSend is rejected', async () => {
  const order = { to: chain.bob, accountNumber: 0, sequence: 0 };
  const bytes = await signedTxRaw(keyOf(chain.sandbox), order, { typeUrl: '/cosmos.gov.v1.MsgVote' });
  expect((await chain.postDirect(bytes)).body).toMatchObject({
    code: 2,
    raw_log: 'unable to resolve type URL /cosmos.gov.v1.MsgVote: tx parse error',
  });
  const tx = await chain.stdTx();
  const vote = { ...tx.msg[0], type: 'cosmos-sdk/MsgVote' };
  expect(await chain.postAmino({ ...tx, msg: [vote] })).toEqual({
    status: 400,
    body: { error: 'JSON encoding of a StdTx expected, in msg.0.type' },
  });
});

test('a transaction after its timeout height', async () => {
  const height = chain.sandbox.chain.latest().height;
  const order = { to: chain.bob, accountNumber: 0, sequence: 0 };
  const bytes = await signedTxRaw(keyOf(chain.sandbox), order, { timeoutHeight: BigInt(height) });
  chain.pass();
  expect((await chain.postDirect(bytes)).body).toMatchObject({
    code: 30,
    raw_log: `block height: ${height + 1}, timeout height: ${height}: tx timeout height`,
  });
});

test('the faucet creates accounts, and accepts only valid coins', async () => {
  const { chain: faucet } = chain.sandbox;
  const address = 'cosmos1h806c7khnvmjlywdrkdgk2vrayy2mmvf9rxk2r';
  faucet.fund(address, [{ denom: 'uatom', amount: '5' }]);
  faucet.fund(address, [{ denom: 'uatom', amount: '6' }]);
  expect(await holds(address)).toBe(11n);
  expect((await chain.cosmos(`/cosmos/auth/v1beta1/accounts/${address}`)).body.account).toMatchObject({
    account_number: '3',
    sequence: '0',
    pub_key: null,
  });
  expect(() => faucet.fund('cosmos1nobody', [])).toThrow(RangeError);
  expect(() => faucet.fund(address, [{ denom: 'uatom', amount: '-1' }])).toThrow();
});
