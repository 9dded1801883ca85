import { sha256 } from '@noble/hashes/sha2.js';
import { BinaryWriter } from 'cosmjs-types/binary';
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

const field = (number: number) => (number << 3) | 2;

function writeCoins(writer: BinaryWriter, number: number, coins: readonly Coin[]): BinaryWriter {
  for (const { denom, amount } of coins) {
    const coin = new BinaryWriter().uint32(field(1)).string(denom).uint32(field(2)).string(String(amount));
    writer.uint32(field(number)).bytes(coin.finish());
  }
  return writer;
}

function sendBytes({ from, to, amount }: Send): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(field(1)).bytes(addressBytes(from)).uint32(field(2)).bytes(addressBytes(to));
  return Buffer.concat([SEND, writeCoins(writer, 3, amount).finish()]);
}

function signatureBytes({ publicKey, bytes }: Signature): Uint8Array {
  const writer = new BinaryWriter();
  if (publicKey) {
    const single = () => Buffer.concat([PUBLIC_KEY, Buffer.of(publicKey.length), publicKey]);
    writer.uint32(field(1)).bytes(isMultisig(publicKey) ? publicKey : single());
  }
  return writer.uint32(field(2)).bytes(bytes).finish();
}

/** The bytes of a StdTx as the chain stores and hashes them. Throws for an invalid address. */
export function aminoBytes({ sends, fee, gas, memo, signatures }: StdTx): Uint8Array {
  const writer = new BinaryWriter();
  for (const send of sends) writer.uint32(field(1)).bytes(sendBytes(send));
  const feeWriter = writeCoins(new BinaryWriter(), 1, fee);
  if (gas > 0) feeWriter.uint32(2 << 3).uint64(BigInt(gas));
  writer.uint32(field(2)).bytes(feeWriter.finish());
  for (const signature of signatures) writer.uint32(field(3)).bytes(signatureBytes(signature));
  if (memo) writer.uint32(field(4)).string(memo);
  return new BinaryWriter().bytes(Buffer.concat([TX, writer.finish()])).finish();
}
