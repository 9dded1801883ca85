import { createHash } from 'node:crypto';
import { decodeAminoPubkey } from '@cosmjs/amino';
import type { Answer } from '../upstream.ts';
import { sendRecord } from './amino.ts';
import type { Chain } from './chain.ts';
import type { Delivered } from './deliver.ts';
import { type ChainEvent, groupByType } from './events.ts';
import { isMultisig } from './keys.ts';
import { coinRecord, SEND_TYPE, type TransactionError } from './transaction.ts';

export const keyRecord = (publicKey: Uint8Array) =>
  isMultisig(publicKey)
    ? decodeAminoPubkey(publicKey)
    : { type: 'tendermint/PubKeySecp256k1', value: Buffer.from(publicKey).toString('base64') };

/** The error as a JSON string, as legacy nodes report it. */
const errorLog = ({ code, detail }: TransactionError): string =>
  JSON.stringify({ codespace: 'sdk', code, message: detail });

/** Message types by their legacy action names. In later SDK versions, events contain the type instead. */
export const ACTIONS = new Map([['send', SEND_TYPE]]);

function legacyEvents(events: readonly ChainEvent[]): ChainEvent[] {
  const names = new Map([...ACTIONS].map(([action, type]) => [type, action]));
  return groupByType(events.filter(({ type }) => type === 'message' || type === 'transfer')).map((event) => ({
    ...event,
    attributes: event.attributes.map(({ key, value }) => ({
      key,
      value: key === 'action' ? (names.get(value) ?? value) : value,
    })),
  }));
}

/** The outcome in the shape that legacy nodes return. They omit `code` on success. */
export function outcome({ failure, messageEvents }: Pick<Delivered, 'failure' | 'messageEvents'>) {
  if (failure) return { code: failure.code, raw_log: errorLog(failure) };
  const logs = messageEvents.map((events, place) => ({
    msg_index: place,
    success: true,
    log: '',
    events: legacyEvents(events),
  }));
  return { raw_log: JSON.stringify(logs), logs };
}

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
    ...(!failure && { events: legacyEvents(delivered.messageEvents.flat()) }),
  };
}

/** A response with compact JSON and a trailing line feed, as nodes send it. */
export const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
});

/** The header members of both dialects. `version` is the version of the block protocol. */
export const blockHeader = (chain: Chain, { height, at }: { height: number; at: number }, version: string) => ({
  version: { block: version, app: '0' },
  chain_id: chain.chainId,
  height: String(height),
  time: new Date(at).toISOString(),
});

export const blockId = (chain: Chain, height: number): Buffer =>
  createHash('sha256').update(`${chain.chainId}/${height}`).digest();

export const blockAt = (chain: Chain, of: string) => (of === 'latest' ? chain.latest() : chain.block(Number(of)));
