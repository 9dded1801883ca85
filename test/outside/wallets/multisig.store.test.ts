import { createHash } from 'node:crypto';
import {
  createMultisigThresholdPubkey,
  encodeSecp256k1Pubkey,
  makeSignDoc,
  pubkeyToAddress,
  Secp256k1Wallet,
} from '@cosmjs/amino';
import { encodePubkey, Registry } from '@cosmjs/proto-signing';
import { MultiSignature } from 'cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig';
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing';
import { AuthInfo, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterEach, describe, expect, test } from 'vitest';
import { keyOf } from '../../../fixtures/signing.ts';
import { DIALECTS, type Opened, openForWallet } from './open.ts';

let opened: Opened;
afterEach(() => opened.close());

const bytesField = (tag: number, bytes: Uint8Array) => {
  if (bytes.length > 127) throw new Error('only short arrays are built here');
  return Buffer.concat([Buffer.of(tag, bytes.length), bytes]);
};

/** A funded account with three keys, two of which must sign, and the signatures of the first and the third key. */
async function openMultisig(dialect: 'legacy' | 'cosmos') {
  opened = await openForWallet(dialect);
  const { chain, service, bob } = opened;
  const wallets = await Promise.all(
    [0, 1, 2].map((place) => Secp256k1Wallet.fromKey(keyOf(service.sandbox, place), 'cosmos')),
  );
  const accounts = (await Promise.all(wallets.map((wallet) => wallet.getAccounts()))).flat();
  const key = createMultisigThresholdPubkey(
    accounts.map(({ pubkey }) => encodeSecp256k1Pubkey(pubkey)),
    2,
    true,
  );
  const address = pubkeyToAddress(key, 'cosmos');
  chain.fund(address, [{ denom: 'uatom', amount: '1000000' }]);
  const msg = {
    type: 'cosmos-sdk/MsgSend',
    value: { from_address: address, to_address: bob, amount: [{ denom: 'uatom', amount: '77' }] },
  };
  const fee = { amount: [{ denom: 'uatom', amount: '5000' }], gas: '200000' };
  const state = chain.account(address);
  const document = makeSignDoc([msg], fee, chain.chainId, 'shared', state?.number ?? 0, 0);
  const signatures = await Promise.all(
    [0, 2].map(async (place) => {
      const { signature } = await (wallets[place] as Secp256k1Wallet).signAmino(
        String(accounts[place]?.address),
        document,
      );
      return Buffer.from(signature.signature, 'base64');
    }),
  );
  // In amino form: an array of three bits, of which the first and the third are set, and the signatures.
  const bits = Buffer.concat([Buffer.of(...[0x08, 0x03]), bytesField(0x12, Buffer.of(0b1010_0000))]);
  const multisignature = Buffer.concat([bytesField(0x0a, bits), ...signatures.map((one) => bytesField(0x12, one))]);
  const tx = {
    msg: [msg],
    fee,
    signatures: [{ pub_key: key, signature: multisignature.toString('base64') }],
    memo: 'shared',
  };
  return { tx, key, address, signatures };
}

type BroadcastResponse = { txhash: string; code?: number; raw_log?: string };

async function post(tx: unknown) {
  const { username, href } = new URL(opened.url);
  const url = href.replace(`${username}@`, '');
  const response = await fetch(`${url}/txs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${username}:`)}` },
    body: JSON.stringify({ tx, mode: 'sync' }),
  });
  const found = (hash: string) =>
    fetch(`${url}/txs/${hash}`, { headers: { 'x-api-key': username } }).then((response) => response.json());
  return { body: (await response.json()) as BroadcastResponse, found };
}

describe.each(DIALECTS)('a multisig account, in front of a %s node', (dialect) => {
  test('its transaction in amino JSON is accepted by the chain, and returned as it was sent', async () => {
    const { tx, address } = await openMultisig(dialect);
    const { body, found } = await post(tx);
    expect(body.code, body.raw_log).toBeUndefined();
    opened.nextBlock();
    expect(opened.chain.transaction(body.txhash)?.failure).toBeNull();
    expect(await found(body.txhash)).toMatchObject({
      txhash: body.txhash,
      tx: { type: 'cosmos-sdk/StdTx', value: tx },
    });
    expect(opened.chain.account(address)).toMatchObject({ sequence: 1 });
  });

  test('the chain rejects a transaction with too few or wrongly attributed signatures', async () => {
    const { tx } = await openMultisig(dialect);
    const [signature] = tx.signatures;
    const bytes = Buffer.from(String(signature?.signature), 'base64');
    // The same signatures, attributed to the first and the second key.
    bytes[6] = 0b1100_0000;
    const changed = { ...tx, signatures: [{ ...signature, signature: bytes.toString('base64') }] };
    expect((await post(changed)).body).toMatchObject({ code: 4 });
  });
});

test('its bytes are those that another library creates from the same signatures', async () => {
  const { tx, key, signatures, address } = await openMultisig('cosmos');
  const value = { fromAddress: address, toAddress: opened.bob, amount: [{ denom: 'uatom', amount: '77' }] };
  const messages = [{ typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }];
  const { body } = await post(tx);
  expect(body.code).toBeUndefined();
  const single = { single: { mode: SignMode.SIGN_MODE_LEGACY_AMINO_JSON } };
  const bitarray = { extraBitsStored: 3, elems: Uint8Array.of(0b1010_0000) };
  const modeInfo = { multi: { bitarray, modeInfos: signatures.map(() => single) } };
  const authInfoBytes = AuthInfo.encode(
    AuthInfo.fromPartial({
      signerInfos: [{ publicKey: encodePubkey(key), modeInfo, sequence: 0n }],
      fee: { amount: tx.fee.amount, gasLimit: 200_000n },
    }),
  ).finish();
  const made = TxRaw.fromPartial({
    bodyBytes: new Registry().encodeTxBody({ messages, memo: 'shared' }),
    authInfoBytes,
    signatures: [MultiSignature.encode({ signatures }).finish()],
  });
  const hash = createHash('sha256').update(TxRaw.encode(made).finish()).digest('hex').toUpperCase();
  expect(body.txhash).toBe(hash);
});
