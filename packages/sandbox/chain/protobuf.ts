import { encodeAminoPubkey, encodeSecp256k1Pubkey } from '@cosmjs/amino';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { LegacyAminoPubKey } from 'cosmjs-types/cosmos/crypto/multisig/keys';
import { MultiSignature } from 'cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig';
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys';
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing';
import { AuthInfo, SignDoc, type SignerInfo, TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { z } from 'zod';
import { aminoSignBytes } from './amino.ts';
import { multisignatureBytes } from './keys.ts';
import { coinSchema, SEND_TYPE, type Send, type Signature, type Transaction, TransactionError } from './transaction.ts';

export const KEY_TYPE = '/cosmos.crypto.secp256k1.PubKey';
export const MULTISIG_TYPE = '/cosmos.crypto.multisig.LegacyAminoPubKey';

const unreadable = (detail: string) => new TransactionError(2, detail);

type Message<T> = { decode(bytes: Uint8Array): T; encode(message: T): { finish(): Uint8Array } };

/** Decodes a message and, like the SDK, rejects unknown fields. */
function decoded<T>(type: Message<T>, bytes: Uint8Array): T {
  let message: T;
  try {
    message = type.decode(bytes);
  } catch {
    throw unreadable('unexpected EOF');
  }
  if (Buffer.compare(type.encode(message).finish(), bytes) !== 0) throw unreadable('errUnknownField');
  return message;
}

function coins(value: unknown) {
  const parsed = z.array(coinSchema).safeParse(value);
  if (!parsed.success) throw new TransactionError(10, JSON.stringify(value));
  return parsed.data;
}

function sendOf({ typeUrl, value }: TxBody['messages'][number]): Send {
  if (typeUrl !== SEND_TYPE) throw unreadable(`unable to resolve type URL ${typeUrl}`);
  const { fromAddress, toAddress, amount } = decoded(MsgSend, value);
  return { from: fromAddress, to: toAddress, amount: coins(amount) };
}

/** A simulation has no signature, and clients omit its mode. */
function modeOf({ modeInfo }: SignerInfo, isSimulation: boolean): Signature['mode'] {
  const multi = modeInfo?.multi;
  const isAmino = (mode: SignMode | undefined) => mode === SignMode.SIGN_MODE_LEGACY_AMINO_JSON;
  if (multi?.modeInfos.every(({ single }) => isAmino(single?.mode))) return 'SIGN_MODE_LEGACY_AMINO_JSON';
  if (modeInfo?.single?.mode === SignMode.SIGN_MODE_DIRECT) return 'SIGN_MODE_DIRECT';
  if (modeInfo?.single?.mode === SignMode.SIGN_MODE_LEGACY_AMINO_JSON) return 'SIGN_MODE_LEGACY_AMINO_JSON';
  if (isSimulation) return 'SIGN_MODE_DIRECT';
  throw unreadable('unknown sign mode');
}

function publicKeyOf({ publicKey }: SignerInfo): Uint8Array | null {
  if (!publicKey) return null;
  if (publicKey.typeUrl === MULTISIG_TYPE) {
    const { threshold, publicKeys } = decoded(LegacyAminoPubKey, publicKey.value);
    const pubkeys = publicKeys.map(({ value }) => encodeSecp256k1Pubkey(decoded(PubKey, value).key));
    const value = { threshold: String(threshold), pubkeys };
    return encodeAminoPubkey({ type: 'tendermint/PubKeyMultisigThreshold', value });
  }
  if (publicKey.typeUrl !== KEY_TYPE) throw unreadable(`unable to resolve type URL ${publicKey.typeUrl}`);
  return decoded(PubKey, publicKey.value).key;
}

function signatureOf({ modeInfo }: SignerInfo, bytes: Uint8Array): Uint8Array {
  if (!modeInfo?.multi) return bytes;
  const { bitarray } = modeInfo.multi;
  const { signatures } = decoded(MultiSignature, bytes);
  if (!bitarray || signatures.length !== modeInfo.multi.modeInfos.length)
    throw unreadable('a multisignature must have its bits and modes');
  return multisignatureBytes({ bits: bitarray, signatures });
}

/** Throws a TransactionError for an invalid TxRaw or a message other than MsgSend. */
export function readTxRaw(bytes: Uint8Array, isSimulation = false): Transaction {
  const { bodyBytes, authInfoBytes, signatures } = decoded(TxRaw, bytes);
  const body = decoded(TxBody, bodyBytes);
  const { signerInfos, fee } = decoded(AuthInfo, authInfoBytes);
  if (signerInfos.length !== signatures.length) {
    throw new TransactionError(4, `wrong number of signers; expected ${signerInfos.length}, got ${signatures.length}`);
  }
  const content = {
    sends: body.messages.map(sendOf),
    fee: coins(fee?.amount ?? []),
    gas: Number(fee?.gasLimit ?? 0n),
    memo: body.memo,
    timeoutHeight: Number(body.timeoutHeight),
  };
  return {
    ...content,
    signatures: signerInfos.map((signer, place) => ({
      publicKey: publicKeyOf(signer),
      mode: modeOf(signer, isSimulation),
      sequence: Number(signer.sequence),
      bytes: signatureOf(signer, signatures[place] ?? new Uint8Array()),
    })),
    bytes,
    signBytes({ mode }, place) {
      if (mode === 'SIGN_MODE_LEGACY_AMINO_JSON') return aminoSignBytes(content, place);
      const { chainId, accountNumber } = place;
      return SignDoc.encode({ bodyBytes, authInfoBytes, chainId, accountNumber: BigInt(accountNumber) }).finish();
    },
  };
}
