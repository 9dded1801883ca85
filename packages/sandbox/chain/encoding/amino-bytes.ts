import { sha256 } from '@noble/hashes/sha2.js';
import { BinaryWriter } from 'cosmjs-types/binary';
import { bytesField, concat, textField, wholeField } from '../../../cosmos/conversion/protobuf.ts';
import type { Coin } from '../coin.ts';
import { addressBytes } from '../keys.ts';
import { isMultisig } from '../multisig.ts';
import type { Send, Signature, Transaction } from '../transaction.ts';

export type StdTx = Pick<Transaction, 'sends' | 'fee' | 'gas' | 'memo' | 'signatures'>;

/** The four bytes before a value of a registered amino type: from the hash of its name, after three others. */
function aminoPrefix(name: string): Uint8Array {
  const pastZeros = (bytes: Uint8Array) => bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return pastZeros(pastZeros(sha256(new TextEncoder().encode(name))).subarray(3)).slice(0, 4);
}

const TX = aminoPrefix('cosmos-sdk/StdTx');
const SEND = aminoPrefix('cosmos-sdk/MsgSend');
const PUBLIC_KEY = aminoPrefix('tendermint/PubKeySecp256k1');

const coinFields = (field: number, coins: readonly Coin[]): Uint8Array[] =>
  coins.map(({ denom, amount }) =>
    bytesField(field, concat(textField(1, denom), textField(2, String(amount)))),
  );

const sendBytes = ({ from, to, amount }: Send): Uint8Array =>
  concat(SEND, bytesField(1, addressBytes(from)), bytesField(2, addressBytes(to)), ...coinFields(3, amount));

function signatureBytes({ publicKey, bytes }: Signature): Uint8Array {
  const single = (key: Uint8Array) => concat(PUBLIC_KEY, Uint8Array.of(key.length), key);
  const key = publicKey && bytesField(1, isMultisig(publicKey) ? publicKey : single(publicKey));
  return concat(...(key ? [key] : []), bytesField(2, bytes));
}

/** The bytes of a StdTx as the chain stores and hashes them. Throws for an invalid address. */
export function aminoBytes({ sends, fee, gas, memo, signatures }: StdTx): Uint8Array {
  const content = concat(
    TX,
    ...sends.map((send) => bytesField(1, sendBytes(send))),
    bytesField(2, concat(...coinFields(1, fee), wholeField(2, BigInt(gas)))),
    ...signatures.map((signature) => bytesField(3, signatureBytes(signature))),
    textField(4, memo),
  );
  return new BinaryWriter().bytes(content).finish();
}
