import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Order } from '../../../fixtures/signing.ts';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
beforeEach(async () => {
  chain = await openChain();
});
afterEach(() => chain.close());

const flipped = (bytes: Uint8Array, place: number) => bytes.map((byte, index) => (index === place ? byte ^ 1 : byte));

describe('amino JSON', () => {
  const outcome = async (tx: unknown) => {
    const { status, body } = await chain.postAmino(tx);
    expect(status).toBe(200);
    return { code: body.code, message: body.code && JSON.parse(body.raw_log).message };
  };
  const verificationFailed =
    'signature verification failed; please verify account number (0), sequence (0) and chain-id (sandbox-1)';

  test('a valid signature', async () => {
    expect(await outcome(await chain.stdTx({ memo: 'for tea & <biscuits>' }))).toEqual({});
  });

  test('a signature with any bit changed is rejected', async () => {
    const tx = await chain.stdTx();
    const [signature] = tx.signatures;
    const bytes = Buffer.from(signature?.signature ?? '', 'base64');
    for (const place of [0, 31, 32, 63]) {
      const broken = {
        ...signature,
        signature: Buffer.from(flipped(bytes, place)).toString('base64'),
      };
      expect(await outcome({ ...tx, signatures: [broken] })).toEqual({ code: 4, message: verificationFailed });
    }
    expect(await outcome({ ...tx, memo: 'another' })).toEqual({ code: 4, message: verificationFailed });
  });

  test.each<[string, Partial<Order>]>([
    ['chain id', { chainId: 'sandbox-2' }],
    ['account number', { accountNumber: 1 }],
    // Amino JSON does not contain the sequence, so the error cannot name it.
    ['sequence', { sequence: 1 }],
  ])('a wrong %s', async (_name, changes) => {
    expect(await outcome(await chain.stdTx(changes))).toEqual({ code: 4, message: verificationFailed });
  });

  test('the key of another account', async () => {
    const [mine, theirs] = [await chain.stdTx(), await chain.stdTx({}, 1)];
    expect(await outcome({ ...mine, signatures: theirs.signatures })).toEqual({
      code: 8,
      message: `pubKey does not match signer address ${chain.alice} with signer index: 0`,
    });
  });

  test('no signature, or too many signatures', async () => {
    const tx = await chain.stdTx();
    expect((await outcome({ ...tx, signatures: [] })).code).toBe(15);
    expect((await outcome({ ...tx, signatures: [...tx.signatures, ...tx.signatures] })).code).toBe(4);
  });
});

describe('protobuf', () => {
  const outcome = async (bytes: Uint8Array) => {
    const { status, body } = await chain.postDirect(bytes);
    expect(status).toBe(200);
    return { code: body.code, raw_log: body.raw_log };
  };
  const verificationFailed =
    'signature verification failed; please verify account number (0) and chain-id (sandbox-1): unauthorized';

  test('a valid signature', async () => {
    expect(await outcome(await chain.txRaw())).toEqual({ code: 0, raw_log: '' });
  });

  test('a signature with any bit changed is rejected', async () => {
    const tx = TxRaw.decode(await chain.txRaw());
    for (const place of [0, 31, 32, 63]) {
      const signatures = tx.signatures.map((bytes) => flipped(bytes, place));
      expect(await outcome(TxRaw.encode({ ...tx, signatures }).finish())).toEqual({
        code: 4,
        raw_log: verificationFailed,
      });
    }
  });

  test.each<[string, Partial<Order>, number, string]>([
    ['chain id', { chainId: 'sandbox-2' }, 4, verificationFailed],
    ['account number', { accountNumber: 1 }, 4, verificationFailed],
    ['sequence', { sequence: 4 }, 32, 'account sequence mismatch, expected 0, got 4: incorrect account sequence'],
  ])('a wrong %s', async (_name, changes, code, raw_log) => {
    expect(await outcome(await chain.txRaw(changes))).toEqual({ code, raw_log });
  });

  test('the key of another account', async () => {
    const [mine, theirs] = [TxRaw.decode(await chain.txRaw()), TxRaw.decode(await chain.txRaw({}, 1))];
    const mixed = TxRaw.encode({ ...theirs, bodyBytes: mine.bodyBytes }).finish();
    expect((await outcome(mixed)).code).toBe(8);
  });

  test.each([
    ['that are truncated', (bytes: Uint8Array) => bytes.subarray(0, -3), 'unexpected EOF: tx parse error'],
    [
      'with an unsigned member',
      (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.of(0x7a, 1, 65)]),
      'errUnknownField: tx parse error',
    ],
    ['that are not a transaction', () => Buffer.from('no transaction'), 'unexpected EOF: tx parse error'],
  ])('bytes %s', async (_name, broken, raw_log) => {
    expect(await outcome(broken(await chain.txRaw()))).toEqual({ code: 2, raw_log });
  });
});

test('the sequence increases with each transaction, in either encoding', async () => {
  expect((await chain.postAmino(await chain.stdTx())).body.code).toBeUndefined();
  expect((await chain.postDirect(await chain.txRaw({ sequence: 1 }))).body.code).toBe(0);
  expect((await chain.postDirect(await chain.txRaw({ sequence: 1, memo: 'again' }))).body).toMatchObject({
    code: 32,
    raw_log: 'account sequence mismatch, expected 2, got 1: incorrect account sequence',
  });
  chain.pass();
  expect((await chain.postAmino(await chain.stdTx({ sequence: 2 }))).body.code).toBeUndefined();
});
