import { TxMsgData } from 'cosmjs-types/cosmos/base/abci/v1beta1/abci';
import { MultiSignature } from 'cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig';
import type { Answer } from '../upstream.ts';
import type { Chain } from './chain.ts';
import type { Delivered } from './deliver.ts';
import { type ChainEvent, groupByType } from './events.ts';
import { isMultisig, multisigKeys, readMultisignature } from './keys.ts';
import { json } from './legacy-records.ts';
import { KEY_TYPE, MULTISIG_TYPE } from './protobuf.ts';
import { readConditions } from './search-conditions.ts';
import { coinRecord, SEND_TYPE, type Signature, type Transaction, type TransactionError } from './transaction.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

export function keyRecord(publicKey: Uint8Array): object {
  if (!isMultisig(publicKey)) return { '@type': KEY_TYPE, key: base64(publicKey) };
  const { threshold, keys } = multisigKeys(publicKey);
  return { '@type': MULTISIG_TYPE, threshold, public_keys: keys.map(keyRecord) };
}

/** In protobuf JSON, the bits of a multisignature are in the mode, not in the signature. */
function signatureRecord({ publicKey, mode, bytes }: Signature) {
  if (!publicKey || !isMultisig(publicKey)) return { mode_info: { single: { mode } }, signature: base64(bytes) };
  const { bits, signatures } = readMultisignature(bytes);
  const bitarray = { extra_bits_stored: bits.extraBitsStored, elems: base64(bits.elems) };
  return {
    mode_info: { multi: { bitarray, mode_infos: signatures.map(() => ({ single: { mode } })) } },
    signature: base64(MultiSignature.encode({ signatures }).finish()),
  };
}

/** A transaction in protobuf JSON. `sequences` contains the sequences of signatures that do not contain one. */
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
      signer_infos: signatures.map((signature, place) => ({
        public_key: signature.publicKey && keyRecord(signature.publicKey),
        mode_info: signatureRecord(signature).mode_info,
        sequence: String(signature.sequence ?? sequences[place] ?? 0),
      })),
      fee: { amount: fee.map(coinRecord), gas_limit: String(gas), payer: '', granter: '' },
      tip: null,
    },
    signatures: signatures.map((one) => signatureRecord(one).signature),
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

/** The `tx_response` of a broadcast, before the transaction is in a block. */
export function broadcastResponse(hash: string, failure: TransactionError | null) {
  if (!failure) return { ...empty, txhash: hash };
  // The mempool rejects duplicates without a log.
  const raw_log = failure.code === 19 ? '' : failure.message;
  return { ...empty, txhash: hash, codespace: 'sdk', code: failure.code, raw_log };
}

export const indexed = (event: ChainEvent, more: { key: string; value: string }[] = []) => ({
  type: event.type,
  attributes: [...event.attributes, ...more].map((attribute) => ({ ...attribute, index: true })),
});

export function resultData({ sends }: Transaction): Buffer {
  return Buffer.from(
    TxMsgData.encode(TxMsgData.fromPartial({ data: sends.map(() => ({ msgType: SEND_TYPE })) })).finish(),
  );
}

/** The `tx_response` of a transaction in a block. Since SDK 0.50, events have `msg_index`; successes have no log. */
export function cosmosResponse(delivered: Delivered, withLogs: boolean) {
  const { hash, transaction, height, at, failure, gasUsed, sequences } = delivered;
  const logs = delivered.messageEvents.map((events, place) => ({
    msg_index: place,
    log: '',
    events: groupByType(events),
  }));
  const messageEvents = delivered.messageEvents.flatMap((events, place) =>
    events.map((event) => indexed(event, withLogs ? [] : [{ key: 'msg_index', value: String(place) }])),
  );
  return {
    ...empty,
    height: String(height),
    txhash: hash,
    codespace: failure ? 'sdk' : '',
    code: failure?.code ?? 0,
    data: failure ? '' : resultData(transaction).toString('hex').toUpperCase(),
    raw_log: failure ? failure.message : withLogs ? JSON.stringify(logs) : '',
    logs: failure || !withLogs ? [] : logs,
    gas_wanted: String(transaction.gas),
    gas_used: String(gasUsed),
    tx: { '@type': '/cosmos.tx.v1beta1.Tx', ...cosmosTransaction(transaction, sequences) },
    timestamp: `${new Date(at).toISOString().slice(0, 19)}Z`,
    events: [...delivered.feeEvents.map((event) => indexed(event)), ...messageEvents],
  };
}

/** `code` is a gRPC code: 2 unknown, 3 invalid argument, 5 not found, 12 unimplemented. */
export const failed = (status: number, code: number, message: string): Answer =>
  json(status, { code, message, details: [] });

/** The page size of a node that serves the REST interface. */
export const PAGE_SIZE = 100;

/** Returns `fallback` for a missing parameter and null for a malformed parameter. */
export function countOf(query: URLSearchParams, name: string, fallback: number): number | null {
  const text = query.get(name) ?? String(fallback);
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A page of a search, as nodes with SDK 0.50 return it. */
export function searchCosmos(chain: Chain, query: URLSearchParams): Answer {
  const text = query.get('query') ?? '';
  if (text === '') return failed(400, 3, 'query cannot be empty');
  const conditions = readConditions(text);
  if (!conditions) return failed(400, 3, `failed to parse query: ${text}`);
  const limit = countOf(query, 'limit', 0);
  const start = countOf(query, 'page', 0);
  if (limit === null || start === null) return failed(400, 3, 'strconv.ParseUint: parsing: invalid syntax');
  const perPage = Math.min(limit || PAGE_SIZE, PAGE_SIZE);
  const page = Math.max(1, start);

  const found = chain.search(conditions);
  if (query.get('order_by') === 'ORDER_BY_DESC' || query.get('order_by') === '2') found.reverse();
  const last = Math.max(1, Math.ceil(found.length / perPage));
  if (page > last) return failed(500, 2, `page should be within [1, ${last}] range, given ${page}`);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return json(200, {
    txs: shown.map(({ transaction, sequences }) => cosmosTransaction(transaction, sequences)),
    tx_responses: shown.map((delivered) => cosmosResponse(delivered, false)),
    pagination: null,
    total: String(found.length),
  });
}
