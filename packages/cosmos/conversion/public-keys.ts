import { count, isMembers, list, malformed, members, text } from '../parsers.ts';
import { type Kind, refusal } from './fields.ts';
import { anyMessage, bytesField, concat, EMPTY, fromBase64, wholeField } from './protobuf.ts';

/** A public key in amino JSON; that of a multisig account has a threshold and keys within. */
export type AminoKey = { type: string; value: unknown };

/** Keys of bytes alone: their type in protobuf and in amino. */
const SINGLE = [
  ['/cosmos.crypto.secp256k1.PubKey', 'tendermint/PubKeySecp256k1'],
  ['/cosmos.crypto.ed25519.PubKey', 'tendermint/PubKeyEd25519'],
  ['/cosmos.crypto.secp256r1.PubKey', 'cosmos-sdk/PubKeySecp256r1'],
  ['/ethermint.crypto.v1.ethsecp256k1.PubKey', 'ethermint/PubKeyEthSecp256k1'],
] as const;
const TO_AMINO = new Map<string, string>(SINGLE);
const TO_PROTOBUF = new Map<string, string>(SINGLE.map(([url, amino]) => [amino, url]));

const MULTISIG_URL = '/cosmos.crypto.multisig.LegacyAminoPubKey';
export const MULTISIG = 'tendermint/PubKeyMultisigThreshold';

/** Keys of multisig accounts may be multisig again, but not without end. */
const DEEPEST = 4;
const MOST_KEYS = 100;

/** A key of protobuf JSON; null where there is none. One of a type that amino has not keeps its members under it. */
export function aminoKey(key: unknown, depth = 0): AminoKey | null {
  if (key === undefined || key === null) return null;
  const { '@type': type, ...rest } = members(key, 'public key');
  const url = text(type, 'type of the public key');
  const amino = TO_AMINO.get(url);
  if (amino !== undefined) {
    if (fromBase64(rest.key) === undefined) throw malformed('public key');
    return { type: amino, value: rest.key };
  }
  if (url !== MULTISIG_URL) return { type: url, value: rest };
  const threshold = count(rest.threshold, 'threshold', 9);
  if (depth === DEEPEST) throw malformed('public key');
  const pubkeys = list(rest.public_keys, 'public keys', MOST_KEYS).map((one) => aminoKey(one, depth + 1));
  if (pubkeys.includes(null)) throw malformed('public key');
  return { type: MULTISIG, value: { threshold, pubkeys } };
}

/** A key of amino JSON as `google.protobuf.Any`. Throws `NodeRejection` (422). */
export function keyBytes(key: unknown, what: string, depth = 0): Uint8Array {
  const { type, value } = isMembers(key) ? key : {};
  const url = TO_PROTOBUF.get(type as string);
  if (url !== undefined) {
    const bytes = fromBase64(value);
    if (bytes === undefined) throw refusal(`${what}.value`, 'base64');
    return anyMessage(url, bytesField(1, bytes));
  }
  const { threshold, pubkeys } = type === MULTISIG && isMembers(value) ? value : {};
  if (!Array.isArray(pubkeys) || pubkeys.length > MOST_KEYS || depth === DEEPEST)
    throw refusal(what, 'a public key of a type that is known');
  if (typeof threshold !== 'string' || !/^\d{1,9}$/.test(threshold))
    throw refusal(`${what}.threshold`, 'a whole number as text');
  const keys = pubkeys.map((one, i) => bytesField(2, keyBytes(one, `${what}.pubkeys.${i}`, depth + 1)));
  return anyMessage(MULTISIG_URL, concat(wholeField(1, BigInt(threshold)), ...keys));
}

export const publicKey: Kind = {
  amino: (value) => aminoKey(value) ?? undefined,
  bytes: (field, value, what) =>
    value === undefined || value === null ? EMPTY : bytesField(field, keyBytes(value, what)),
};
