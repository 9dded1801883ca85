import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Order } from '../../../fixtures/signing.ts';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

/* The tests of wallets and of the node's routes rely on these checks. */

let chain: TestChain;
beforeEach(async () => {
  chain = await openChain();
});
afterEach(() => chain.close());

const flipped = (bytes: Uint8Array, place: number) => bytes.map((byte, index) => (index === place ? byte ^ 1 : byte));
const codeOf = async (bytes: Uint8Array) => (await chain.postDirect(bytes)).body.code;

test('amino JSON: only the signature of the signer is accepted', async () => {
  const codeOfAmino = async (tx: unknown) => (await chain.postAmino(tx)).body.code;
  const tx = await chain.stdTx();
  const other = await chain.stdTx({}, 1);
  const [signature] = tx.signatures;
  const bytes = Buffer.from(signature?.signature ?? '', 'base64');
  for (const place of [0, 31, 32, 63]) {
    const broken = { ...signature, signature: Buffer.from(flipped(bytes, place)).toString('base64') };
    expect(await codeOfAmino({ ...tx, signatures: [broken] })).toBe(4);
  }
  expect(await codeOfAmino({ ...tx, memo: 'another' })).toBe(4);
  expect(await codeOfAmino({ ...tx, signatures: other.signatures })).toBe(8);
  expect(await codeOfAmino({ ...tx, signatures: [] })).toBe(15);
  expect(await codeOfAmino(tx)).toBeUndefined();
});

test('protobuf: only the signature of the signer is accepted', async () => {
  const bytes = await chain.txRaw();
  const tx = TxRaw.decode(bytes);
  for (const place of [0, 31, 32, 63]) {
    const signatures = tx.signatures.map((signature) => flipped(signature, place));
    expect(await codeOf(TxRaw.encode({ ...tx, signatures }).finish())).toBe(4);
  }
  const { bodyBytes } = tx;
  expect(await codeOf(TxRaw.encode({ ...TxRaw.decode(await chain.txRaw({}, 1)), bodyBytes }).finish())).toBe(8);
  expect(await codeOf(bytes.subarray(0, -3))).toBe(2);
  expect(await codeOf(Buffer.concat([bytes, Buffer.of(0x7a, 1, 65)]))).toBe(2);
  expect(await codeOf(bytes)).toBe(0);
});

test.each<[string, Partial<Order>, number, number]>([
  ['chain id', { chainId: 'sandbox-2' }, 4, 4],
  ['account number', { accountNumber: 1 }, 4, 4],
  // Amino JSON does not contain the sequence, so the error cannot name it.
  ['sequence', { sequence: 4 }, 4, 32],
])('a wrong %s is rejected', async (_name, changes, amino, direct) => {
  expect((await chain.postAmino(await chain.stdTx(changes))).body.code).toBe(amino);
  expect(await codeOf(await chain.txRaw(changes))).toBe(direct);
});
