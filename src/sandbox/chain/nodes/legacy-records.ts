import { sendRecord } from './amino.ts';
import { coinRecord } from './coin.ts';
import type { Delivered } from './delivery.ts';
import { type ChainEvent, gathered } from './events.ts';
import { SEND_TYPE } from './protobuf.ts';
import type { TransactionRefusal } from './refusal.ts';

export const keyRecord = (publicKey: Uint8Array) => ({
  type: 'tendermint/PubKeySecp256k1',
  value: Buffer.from(publicKey).toString('base64'),
});

/** What the old nodes write in place of a log when they refuse: JSON in a text. */
export const refusalLog = ({ code, detail }: TransactionRefusal): string =>
  JSON.stringify({ codespace: 'sdk', code, message: detail });

/** The action's old name for its new one: events of later chains name a message by its type. */
export const ACTIONS = new Map([['send', SEND_TYPE]]);

// The events that the old chains had, with the actions' old names.
function oldEvents(events: readonly ChainEvent[]): ChainEvent[] {
  const names = new Map([...ACTIONS].map(([old, now]) => [now, old]));
  return gathered(events.filter(({ type }) => type === 'message' || type === 'transfer')).map((event) => ({
    ...event,
    attributes: event.attributes.map(({ key, value }) => ({
      key,
      value: key === 'action' ? (names.get(value) ?? value) : value,
    })),
  }));
}

/** What an old node tells of how a transaction went: `code` is absent on success. */
export function outcome({ refusal, messageEvents }: Pick<Delivered, 'refusal' | 'messageEvents'>) {
  if (refusal) return { code: refusal.code, raw_log: refusalLog(refusal) };
  const logs = messageEvents.map((events, place) => ({
    msg_index: place,
    success: true,
    log: '',
    events: oldEvents(events),
  }));
  return { raw_log: JSON.stringify(logs), logs };
}

/** A transaction as `GET /txs/{hash}` gives it, and within a search. */
export function legacyTransaction(delivered: Delivered) {
  const { transaction, height, hash, at, gasUsed, refusal } = delivered;
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
    ...(!refusal && { events: oldEvents(delivered.messageEvents.flat()) }),
  };
}
