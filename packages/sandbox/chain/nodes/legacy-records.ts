import { decodeAminoPubkey } from '@cosmjs/amino';
import { coinRecord } from '../coin.ts';
import type { Delivered } from '../deliver.ts';
import { sendRecord } from '../encoding/amino.ts';
import { type ChainEvent, groupByType } from '../events.ts';
import { isMultisig } from '../multisig.ts';
import { SEND_TYPE } from '../transaction.ts';
import type { TransactionError } from '../transaction-error.ts';

export const keyRecord = (publicKey: Uint8Array) =>
  isMultisig(publicKey)
    ? decodeAminoPubkey(publicKey)
    : { type: 'tendermint/PubKeySecp256k1', value: Buffer.from(publicKey).toString('base64') };

/** The log of an error of the old nodes: JSON in a string. */
const errorLog = ({ code, detail }: TransactionError): string =>
  JSON.stringify({ codespace: 'sdk', code, message: detail });

/** The type of a message by its old action name. Events of later chains have the type. */
export const ACTIONS = new Map([['send', SEND_TYPE]]);

// The events of the old chains, with the old action names.
function oldEvents(events: readonly ChainEvent[]): ChainEvent[] {
  const names = new Map([...ACTIONS].map(([old, now]) => [now, old]));
  return groupByType(events.filter(({ type }) => type === 'message' || type === 'transfer')).map((event) => ({
    ...event,
    attributes: event.attributes.map(({ key, value }) => ({
      key,
      value: key === 'action' ? (names.get(value) ?? value) : value,
    })),
  }));
}

/** The outcome of a transaction as old nodes tell it: without `code` on success. */
export function outcome({ failure, messageEvents }: Pick<Delivered, 'failure' | 'messageEvents'>) {
  if (failure) return { code: failure.code, raw_log: errorLog(failure) };
  const logs = messageEvents.map((events, place) => ({
    msg_index: place,
    success: true,
    log: '',
    events: oldEvents(events),
  }));
  return { raw_log: JSON.stringify(logs), logs };
}

/** A transaction as in `GET /txs/{hash}` and in a search. */
export function legacyTransaction(delivered: Delivered) {
  const { transaction, height, hash, at, gasUsed, failure } = delivered;
  const { sends, fee, gas, memo, signatures } = transaction;
  return {
    height: String(height),
    txhash: hash,
    ...outcome(delivered),
    gas_wanted: String(gas),
    gas_used: String(gasUsed),
    tx: {
      type: 'cosmos-sdk/StdTx',
      value: {
        msg: sends.map(sendRecord),
        fee: { amount: fee.map(coinRecord), gas: String(gas) },
        signatures: signatures.map(({ publicKey, bytes }) => ({
          pub_key: publicKey && keyRecord(publicKey),
          signature: Buffer.from(bytes).toString('base64'),
        })),
        memo,
      },
    },
    timestamp: `${new Date(at).toISOString().slice(0, 19)}Z`,
    ...(!failure && { events: oldEvents(delivered.messageEvents.flat()) }),
  };
}
