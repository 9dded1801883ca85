import { encodeAminoPubkey, makeSignDoc, serializeSignDoc } from '@cosmjs/amino';
import { z } from 'zod';
import {
  coinRecord,
  coinSchema,
  type Send,
  type Signature,
  type SigningContext,
  type Transaction,
} from './transaction.ts';

const base64Schema = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const numberSchema = z.string().regex(/^\d{1,15}$/);

const sendSchema = z
  .object({
    type: z.literal('cosmos-sdk/MsgSend'),
    value: z.object({ from_address: z.string(), to_address: z.string(), amount: z.array(coinSchema) }),
  })
  .transform(({ value }): Send => ({ from: value.from_address, to: value.to_address, amount: value.amount }));

const singleKeySchema = z.object({ type: z.literal('tendermint/PubKeySecp256k1'), value: base64Schema });
const multisigKeySchema = z
  .object({
    type: z.literal('tendermint/PubKeyMultisigThreshold'),
    value: z.object({
      threshold: numberSchema,
      pubkeys: z.array(z.object({ type: z.literal('tendermint/PubKeySecp256k1'), value: z.base64() })),
    }),
  })
  .transform((key) => ({ value: encodeAminoPubkey(key) }));

const signatureSchema = z
  .object({
    pub_key: z
      .union([singleKeySchema, multisigKeySchema])
      .nullish()
      .transform((key) => key?.value ?? null),
    signature: base64Schema,
  })
  .transform(
    ({ pub_key, signature }): Signature => ({
      publicKey: pub_key,
      mode: 'SIGN_MODE_LEGACY_AMINO_JSON',
      sequence: null,
      bytes: signature,
    }),
  );

// Missing members count as empty, as in Go.
const stdTxSchema = z.object({
  msg: z.array(sendSchema).nullish(),
  fee: z.object({ amount: z.array(coinSchema).nullish(), gas: numberSchema }).nullish(),
  signatures: z.array(signatureSchema).nullish(),
  memo: z.string().nullish(),
});

export const sendRecord = ({ from, to, amount }: Send) => ({
  type: 'cosmos-sdk/MsgSend',
  value: { from_address: from, to_address: to, amount: amount.map(coinRecord) },
});

// Go's JSON encoder, which defines the signed text, escapes these characters, but the library does not.
const ESCAPED = /[\u2028\u2029]/g;
const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`;

/** The signed bytes of SIGN_MODE_LEGACY_AMINO_JSON: compact JSON with sorted members and numbers as strings. */
export function aminoSignBytes(
  { sends, fee, gas, memo, timeoutHeight = 0 }: Omit<StdTx, 'signatures'> & { timeoutHeight?: number },
  { chainId, accountNumber, sequence }: SigningContext,
): Uint8Array {
  const paid = { amount: fee.map(coinRecord), gas: String(gas) };
  const timeout = timeoutHeight > 0 ? BigInt(timeoutHeight) : undefined;
  const place = [chainId, memo, accountNumber, sequence, timeout] as const;
  const bytes = serializeSignDoc(makeSignDoc(sends.map(sendRecord), paid, ...place));
  return Buffer.from(Buffer.from(bytes).toString().replace(ESCAPED, escapeOf));
}

/** A real chain stores and hashes the amino encoding. No client of a legacy node computes it, so the JSON stands in for it. */
export function readStdTx(value: unknown): Transaction {
  const { msg, fee, signatures, memo } = stdTxSchema.parse(value);
  const content: StdTx = {
    sends: msg ?? [],
    fee: fee?.amount ?? [],
    gas: Number(fee?.gas ?? 0),
    memo: memo ?? '',
    signatures: signatures ?? [],
  };
  return {
    ...content,
    timeoutHeight: 0,
    bytes: Buffer.from(JSON.stringify(value)),
    signBytes: (_signature, place) => aminoSignBytes(content, place),
  };
}

type StdTx = Pick<Transaction, 'sends' | 'fee' | 'gas' | 'memo' | 'signatures'>;
