import { makeSignDoc, serializeSignDoc } from '@cosmjs/amino';
import { describe, expect, test } from 'vitest';
import { aminoSignBytes, readStdTx } from '#sandbox/chain/amino';
import { FEE_COLLECTOR } from '#sandbox/chain/deliver';
import { hashOf } from '#sandbox/chain/transaction';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';

describe.skipIf(!haveRecordings)('recorded transactions', () => {
  test.each(['txs_search_message.sender_kava.json', 'txs_search_transfer.recipient_kava.json'])(
    'the bytes of a StdTx have the recorded hash: %s',
    (name) => {
      const { txs } = JSON.parse(recording('cosmos_legacy', name).body.toString());
      const [{ tx, txhash }] = txs;
      expect(hashOf(readStdTx(tx.value).bytes)).toBe(txhash);
    },
  );
});

test('the signed bytes are those of a signing library, with the same escapes', () => {
  const coins = [{ denom: 'uatom', amount: '12345678901234567890' }];
  const message = {
    type: 'cosmos-sdk/MsgSend',
    value: { from_address: FEE_COLLECTOR, to_address: FEE_COLLECTOR, amount: coins },
  };
  const memo = 'Ünï & <so> on "quoted" \\ \n';
  const { transaction } = readStdTx({ msg: [message], fee: { amount: coins, gas: '9' }, memo });
  const place = { chainId: 'chain-&-1', accountNumber: 7, sequence: 12 };
  const theirs = makeSignDoc([message], { amount: coins, gas: '9' }, place.chainId, memo, 7, 12);
  expect(Buffer.from(aminoSignBytes(transaction, place)).toString()).toBe(
    Buffer.from(serializeSignDoc(theirs)).toString(),
  );
});

test('the fee is paid to the standard fee collector', () => {
  expect(FEE_COLLECTOR).toBe('cosmos17xpfvakm2amg962yls6f84z3kell8c5lserqta');
});
