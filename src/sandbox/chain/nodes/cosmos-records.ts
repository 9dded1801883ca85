import { TxMsgData } from 'cosmjs-types/cosmos/base/abci/v1beta1/abci';
import { coinRecord } from './coin.ts';
import type { Delivered } from './delivery.ts';
import { type ChainEvent, gathered } from './events.ts';
import { KEY_TYPE, SEND_TYPE } from './protobuf.ts';
import type { TransactionRefusal } from './refusal.ts';
import type { Transaction } from './transaction.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

export const keyRecord = (publicKey: Uint8Array) => ({ '@type': KEY_TYPE, key: base64(publicKey) });

/** A transaction as JSON writes the protobuf. `sequences`: those that the encoding did not carry. */
export function cosmosTransaction(transaction: Transaction, sequences: readonly number[]) {
  const { sends, fee, gas, memo, timeoutHeight, signatures } = transaction;
  return {
    body: {
      messages: sends.map(({ from, to, amount }) => ({
        '@type': SEND_TYPE,
        from_address: from,
        to_address: to,
        amount: amount.map(coinRecord),
      })),
      memo,
      timeout_height: String(timeoutHeight),
      extension_options: [],
      non_critical_extension_options: [],
    },
    auth_info: {
      signer_infos: signatures.map(({ publicKey, mode, sequence }, place) => ({
        public_key: publicKey && keyRecord(publicKey),
        mode_info: { single: { mode } },
        sequence: String(sequence ?? sequences[place] ?? 0),
      })),
      fee: { amount: fee.map(coinRecord), gas_limit: String(gas), payer: '', granter: '' },
      tip: null,
    },
    signatures: signatures.map(({ bytes }) => base64(bytes)),
  };
}

const empty = {
  height: '0',
  txhash: '',
  codespace: '',
  code: 0,
  data: '',
  raw_log: '',
  logs: [] as unknown[],
  info: '',
  gas_wanted: '0',
  gas_used: '0',
  tx: null as unknown,
  timestamp: '',
  events: [] as unknown[],
};

/** The `tx_response` of a broadcast that is in no block. */
export function broadcastResponse(hash: string, refusal: TransactionRefusal | null) {
  if (!refusal) return { ...empty, txhash: hash };
  // The cache is the mempool's, which has no log.
  const raw_log = refusal.code === 19 ? '' : refusal.message;
  return { ...empty, txhash: hash, codespace: 'sdk', code: refusal.code, raw_log };
}

const indexed = (event: ChainEvent, more: { key: string; value: string }[] = []) => ({
  type: event.type,
  attributes: [...event.attributes, ...more].map((attribute) => ({ ...attribute, index: true })),
});

function resultData({ sends }: Transaction): string {
  const encoded = TxMsgData.encode(
    TxMsgData.fromPartial({ data: sends.map(() => ({ msgType: SEND_TYPE })) }),
  ).finish();
  return Buffer.from(encoded).toString('hex').toUpperCase();
}

/**
 * The `tx_response` of a transaction in a block. `withLogs` false: as since SDK 0.50, where a success has no log and
 * an event says itself which message it is of.
 */
export function cosmosResponse(delivered: Delivered, withLogs: boolean) {
  const { hash, transaction, height, at, refusal, gasUsed, sequences } = delivered;
  const logs = delivered.messageEvents.map((events, place) => ({
    msg_index: place,
    log: '',
    events: gathered(events),
  }));
  const messageEvents = delivered.messageEvents.flatMap((events, place) =>
    events.map((event) => indexed(event, withLogs ? [] : [{ key: 'msg_index', value: String(place) }])),
  );
  return {
    ...empty,
    height: String(height),
    txhash: hash,
    codespace: refusal ? 'sdk' : '',
    code: refusal?.code ?? 0,
    data: refusal ? '' : resultData(transaction),
    raw_log: refusal ? refusal.message : withLogs ? JSON.stringify(logs) : '',
    logs: refusal || !withLogs ? [] : logs,
    gas_wanted: String(transaction.gas),
    gas_used: String(gasUsed),
    tx: { '@type': '/cosmos.tx.v1beta1.Tx', ...cosmosTransaction(transaction, sequences) },
    timestamp: `${new Date(at).toISOString().slice(0, 19)}Z`,
    events: [...delivered.feeEvents.map((event) => indexed(event)), ...messageEvents],
  };
}
