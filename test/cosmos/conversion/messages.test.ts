import { toBech32 } from '@cosmjs/encoding';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, test } from 'vitest';
import { aminoMessage, MESSAGE_TYPES } from '#cosmos/conversion/message-tables';
import { stdTx } from '#cosmos/conversion/std-tx';
import { txBytes } from '#cosmos/conversion/tx-bytes';
import { anyOf, typeOf } from './reference.ts';
import { SAMPLES } from './samples.ts';

const addressOf = (byte: number) => toBech32('cosmos', new Uint8Array(20).fill(byte));

const SIGNATURE = Buffer.alloc(64, 7).toString('base64');
const KEY = { type: 'tendermint/PubKeySecp256k1', value: Buffer.alloc(33, 2).toString('base64') };
const fee = { amount: [{ denom: 'uatom', amount: '5000' }], gas: '200000' };

const signed = (...msg: readonly unknown[]) => ({
  msg,
  fee,
  signatures: [{ pub_key: KEY, signature: SIGNATURE }],
  memo: 'memo',
});

async function encoded(tx: unknown) {
  const bytes = await txBytes(tx, async () => ({ sequence: '7', publicKey: null }));
  const raw = TxRaw.decode(Buffer.from(bytes, 'base64'));
  return { raw, body: TxBody.decode(raw.bodyBytes) };
}

test('every message type has a sample', () => {
  const sampled = new Set(SAMPLES.map(({ amino }) => amino.type));
  expect(MESSAGE_TYPES.filter(({ amino }) => !sampled.has(amino))).toEqual([]);
  expect(SAMPLES.length).toBeGreaterThan(MESSAGE_TYPES.length);
});

describe.each(SAMPLES.map((sample, i) => ({ name: `${i} ${sample.amino.type}`, ...sample })))(
  '$name',
  ({ amino, modern }) => {
    test('is converted to amino JSON', () => {
      expect(aminoMessage(modern)).toEqual(amino);
    });

    test('is encoded like the generated types encode it', async () => {
      const { body } = await encoded(signed(amino));
      expect(body.memo).toBe('memo');
      expect(body.messages).toEqual([anyOf(modern)]);
      // The bytes contain no unknown fields.
      const { typeUrl = '', value = new Uint8Array() } = body.messages[0] ?? {};
      const type = typeOf(typeUrl);
      expect(type.encode(type.decode(value)).finish()).toEqual(value);
    });

    test('is unchanged after a conversion to amino JSON and back', async () => {
      expect(aminoMessage(modern)).toEqual(amino);
      expect((await encoded(signed(aminoMessage(modern)))).body.messages).toEqual([anyOf(modern)]);
    });
  },
);

test('omits the empty members that amino omits, and no others', () => {
  expect(
    aminoMessage({
      '@type': '/ibc.applications.transfer.v1.MsgTransfer',
      ...{ source_port: 'transfer', source_channel: '', token: null, sender: '', receiver: '', memo: '' },
      ...{ timeout_height: { revision_number: '0', revision_height: '0' }, timeout_timestamp: '0' },
    }),
  ).toEqual({
    type: 'cosmos-sdk/MsgTransfer',
    value: { source_port: 'transfer', token: { amount: '0' }, timeout_height: {} },
  });
  const unspecified = { proposal_id: '0', voter: 'a', option: 'VOTE_OPTION_UNSPECIFIED' };
  expect(aminoMessage({ '@type': '/cosmos.gov.v1beta1.MsgVote', ...unspecified })).toEqual({
    type: 'cosmos-sdk/MsgVote',
    value: { proposal_id: '0', voter: 'a' },
  });
  expect(aminoMessage({ '@type': '/cosmos.bank.v1beta1.MsgSend', from_address: 'a', amount: null })).toEqual({
    type: 'cosmos-sdk/MsgSend',
    value: { from_address: 'a', amount: [] },
  });
});

test('a message unknown to amino keeps its type and members', () => {
  const vote = {
    '@type': '/terra.oracle.v1beta1.MsgAggregateExchangeRateVote',
    salt: '7b4c',
    feeder: 'terra1',
  };
  const { '@type': type, ...value } = vote;
  expect(aminoMessage(vote)).toEqual({ type, value });
  const exec = { '@type': '/cosmos.authz.v1beta1.MsgExec', grantee: 'a', msgs: [vote] };
  expect(aminoMessage(exec)).toEqual({
    type: '/cosmos.authz.v1beta1.MsgExec',
    value: { grantee: 'a', msgs: [vote] },
  });
});

describe('a value that cannot be encoded is rejected with its place, without the value', () => {
  const [send] = SAMPLES.map(({ amino }) => amino);
  const own = (changes: object) => ({ ...send, value: { ...send?.value, ...changes } });
  test.each<[string, unknown, RegExp]>([
    ['no messages', signed(), /tx\.msg/],
    ['an unknown type', signed({ type: 'wasm/MsgStoreCode', value: {} }), /wasm\/MsgStoreCode.*tx_bytes/],
    ['a null message', signed(null), /msg\.0 must be an object/],
    ['a null coin', signed(own({ amount: [null] })), /amount\.0 must be present/],
    ['a coin that is a string', signed(own({ amount: [''] })), /amount\.0 must be an object/],
    ['no type', signed({}), /msg\.0 \(without a type\)/],
    ['an unknown signed member', signed(own({ extra: 's3cret' })), /msg\.0 .*only/],
    ['a signer that is a path', signed(own({ from_address: '../../status' })), /address of a signer/],
    ['a mistyped signer', signed(own({ from_address: `${addressOf(1).slice(0, -1)}q` })), /address of a signer/],
    ['a number instead of a string', signed(own({ from_address: 5 })), /from_address must be a string/],
    ['an amount with an exponent', signed(own({ amount: [{ denom: 'x', amount: '1e5' }] })), /amount\.0\.amount/],
    ['coins that are not a list', signed(own({ amount: { denom: 'x' } })), /amount must be a list/],
    ['a value that is a string', signed({ ...send, value: 's3cret' }), /value must be an object/],
    ['an unknown member of the transaction', { ...signed(send), x: 's3cret' }, /^tx must be/],
    ['no fee', { ...signed(send), fee: undefined }, /tx\.fee/],
    ['gas as a number', { ...signed(send), fee: { amount: [], gas: 5 } }, /tx\.fee\.gas/],
    ['no signature', { ...signed(send), signatures: [] }, /list of 1/],
    ['an invalid signature', { ...signed(send), signatures: [{ signature: '~' }] }, /signatures\.0\.signature/],
    [
      'a key of an unknown type',
      { ...signed(send), signatures: [{ pub_key: { type: 'x' }, signature: SIGNATURE }] },
      /pub_key/,
    ],
    [
      'too many signers',
      {
        ...signed({
          type: 'cosmos-sdk/MsgMultiSend',
          value: {
            inputs: Array.from({ length: 20 }, (_, i) => ({ address: addressOf(i), coins: [] })),
            outputs: [],
          },
        }),
        signatures: Array(20).fill({ signature: SIGNATURE }),
      },
      /at most 16/,
    ],
  ])('%s', async (_name, tx, message) => {
    const rejected = txBytes(tx, async (address) => {
      expect(address).toMatch(/^cosmos1[0-9a-z]{38}$/);
      return { sequence: '7', publicKey: null };
    });
    await expect(rejected).rejects.toMatchObject({
      name: 'NodeRejection',
      status: 422,
      message: expect.stringMatching(message),
    });
    await expect(rejected).rejects.toMatchObject({ message: expect.not.stringContaining('s3cret') });
  });
});

test('converts fee, signatures, memo and timeout height of a modern transaction', () => {
  const body = { messages: [], memo: 'm', timeout_height: '99', extension_options: [] };
  const info = (public_key: unknown) => ({ public_key, mode_info: { single: { mode: 'SIGN_MODE_DIRECT' } } });
  const auth_info = {
    signer_infos: [info({ '@type': '/cosmos.crypto.secp256k1.PubKey', key: KEY.value }), info(null)],
    fee: { ...{ amount: fee.amount, gas_limit: '5' }, payer: 'p', granter: '' },
  };
  expect(stdTx({ body, auth_info, signatures: [SIGNATURE, 'CpAB'] })).toEqual({
    type: 'cosmos-sdk/StdTx',
    value: {
      msg: [],
      fee: { amount: fee.amount, gas: '5', payer: 'p' },
      signatures: [
        { pub_key: KEY, signature: SIGNATURE },
        { pub_key: null, signature: 'CpAB' },
      ],
      memo: 'm',
      timeout_height: '99',
    },
  });
});

test('the operator of a validator signs with the account of the same bytes, and decimals may be short', async () => {
  const operator = toBech32('cosmosvaloper', new Uint8Array(20).fill(9));
  const requested: string[] = [];
  const value = { description: {}, validator_address: operator, commission_rate: '0.05' };
  const bytes = await txBytes(signed({ type: 'cosmos-sdk/MsgEditValidator', value }), async (address) => {
    requested.push(address);
    return { sequence: '7', publicKey: null };
  });
  expect(requested).toEqual([addressOf(9)]);
  const { bodyBytes } = TxRaw.decode(Buffer.from(bytes, 'base64'));
  const [message] = TxBody.decode(bodyBytes).messages;
  expect(typeOf(String(message?.typeUrl)).decode(message?.value as Uint8Array)).toMatchObject({
    validatorAddress: operator,
    commissionRate: '50000000000000000',
  });
});
