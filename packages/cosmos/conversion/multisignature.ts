import { isMembers, malformed } from '../parsers.ts';
import { bytesField, concat, EMPTY, fromBase64, readFields, toBase64, wholeField } from './protobuf.ts';

/** A multisignature: amino has the bits and the signatures in one text, protobuf has the bits in `mode_info`. */

/** `SIGN_MODE_LEGACY_AMINO_JSON`. */
const AMINO = 127n;

const single = bytesField(1, wholeField(1, AMINO));

/** `ModeInfo` of a signature of one key. */
export const SINGLE_MODE = single;

const bytesOf = (value: number | Uint8Array | undefined): Uint8Array | undefined =>
  value instanceof Uint8Array ? value : undefined;

/** A multisignature of amino, as `ModeInfo` and signature of protobuf; undefined where it is none. */
export function fromAmino(signature: Uint8Array): { mode: Uint8Array; signature: Uint8Array } | undefined {
  const fields = readFields(signature);
  const bits = bytesOf(fields?.find(([field]) => field === 1)?.[1]);
  const signatures = fields?.filter(([field]) => field === 2).map(([, value]) => bytesOf(value)) ?? [];
  if (bits === undefined || readFields(bits) === undefined || signatures.length === 0) return undefined;
  if (signatures.includes(undefined)) return undefined;
  const modes = signatures.map(() => bytesField(2, single));
  return {
    mode: bytesField(2, concat(bytesField(1, bits), ...modes)),
    signature: concat(...signatures.map((one) => bytesField(1, one ?? EMPTY))),
  };
}

/** The signature of amino (base64) of a `multi` of a `mode_info` and a signature (base64), both as a node tells them. */
export function toAmino(multi: unknown, signature: string): string {
  const { bitarray } = isMembers(multi) ? multi : {};
  const { extra_bits_stored: extra = 0, elems } = isMembers(bitarray) ? bitarray : {};
  const bits = fromBase64(elems);
  const fields = readFields(fromBase64(signature) ?? Uint8Array.of(0xff));
  const signatures = fields?.map(([field, value]) => (field === 1 ? bytesOf(value) : undefined));
  const isWhole = typeof extra === 'number' && extra >= 0 && extra < 8 && Number.isInteger(extra);
  if (!isWhole || bits === undefined || signatures === undefined || signatures.includes(undefined))
    throw malformed('multisignature');
  const array = concat(wholeField(1, BigInt(extra)), bytesField(2, bits));
  return toBase64(concat(bytesField(1, array), ...signatures.map((one) => bytesField(2, one ?? EMPTY))));
}
