import { fromBase64, toHex } from '../conversion/protobuf.ts';
import type { LegacyBlock } from '../legacy-shapes.ts';
import {
  chainId,
  count,
  isMembers,
  list,
  type Members,
  malformed,
  members,
  optionalPart,
  string,
  text,
} from '../parsers.ts';

const MAX_TXS = 20_000;
const MAX_SIGNATURES = 1_000;

const HASH = /^([0-9A-Fa-f]{2}){0,64}$/;

/** Converts hex to upper case, which the legacy interface uses for bytes. */
function legacyHex(value: unknown, what: string): string {
  const hex = string(value ?? '', what);
  if (!HASH.test(hex)) throw malformed(what);
  return hex.toUpperCase();
}

function hexOf(value: unknown, what: string): string {
  const bytes = fromBase64(value ?? '');
  if (bytes === undefined || bytes.length > 64) throw malformed(what);
  return toHex(bytes);
}

const txsOf = (data: unknown): string[] | null => {
  const txs = isMembers(data) ? (optionalPart(() => list(data.txs, 'txs', MAX_TXS)) ?? []) : [];
  const readable = txs.filter((one) => typeof one === 'string' && one !== '') as string[];
  return readable.length === 0 ? null : readable;
};

/** Validates a header's required members, and converts its hashes with `hash`. Omits malformed hashes. */
function headerOf(header: unknown, hash: typeof hexOf): LegacyBlock['block']['header'] {
  const { chain_id, height, time, ...rest } = members(header, 'header');
  const reported = count(height, 'height');
  if (reported === '0') throw malformed('height');
  const isHash = (name: string) => /_(hash|address)$/.test(name);
  const [hashes, others] = [true, false].map((of) => Object.keys(rest).filter((name) => isHash(name) === of));
  const converted = (hashes ?? []).flatMap((name) => {
    const read = optionalPart(() => hash(rest[name], name));
    return read === undefined ? [] : [[name, read] as const];
  });
  return {
    ...Object.fromEntries((others ?? []).map((name) => [name, rest[name]])),
    chain_id: chainId(chain_id),
    height: reported,
    time: text(time, 'time'),
    ...Object.fromEntries(converted),
  };
}

export function legacyBlock({ block_id, block_meta, block }: Members): LegacyBlock {
  // Until SDK 0.38, the ID is in `block_meta`.
  const { hash, ...id } = members(block_id ?? (isMembers(block_meta) && block_meta.block_id), 'block_id');
  const { header, data, ...rest } = members(block, 'block');
  return {
    block_id: { ...id, hash: legacyHex(hash, 'hash') },
    block: { ...rest, header: headerOf(header, legacyHex), data: { txs: txsOf(data) } },
  };
}

function idOf(value: unknown): LegacyBlock['block_id'] {
  const { hash, part_set_header } = isMembers(value) ? value : {};
  const { total, hash: partsHash } = isMembers(part_set_header) ? part_set_header : {};
  const parts = { total: count(total, 'total'), hash: hexOf(partsHash, 'hash of the parts') };
  return { hash: hexOf(hash, 'hash'), parts };
}

/** A flag's index is its value in the legacy interface. */
const FLAGS = ['BLOCK_ID_FLAG_UNKNOWN', 'BLOCK_ID_FLAG_ABSENT', 'BLOCK_ID_FLAG_COMMIT', 'BLOCK_ID_FLAG_NIL'];

function commitOf(commit: unknown) {
  if (!isMembers(commit)) return null;
  const { height, round, block_id, signatures } = commit;
  const signed = list(signatures, 'signatures', MAX_SIGNATURES).map((one) => {
    const { block_id_flag, validator_address, timestamp, signature } = members(one, 'signature');
    const flag = FLAGS.indexOf(block_id_flag as string);
    return {
      block_id_flag: flag < 0 ? Number(count(block_id_flag, 'block_id_flag', 1)) : flag,
      validator_address: hexOf(validator_address, 'validator_address'),
      timestamp: string(timestamp ?? '', 'timestamp'),
      signature: signature === null ? null : string(signature ?? '', 'signature'),
    };
  });
  return {
    height: count(height, 'height'),
    round: count(round, 'round'),
    block_id: idOf(block_id),
    signatures: signed,
  };
}

export function modernBlock({ block_id, block, sdk_block }: Members): LegacyBlock {
  // In `sdk_block`, the proposer is in bech32. Older nodes return only `block`.
  const { header, data, evidence, last_commit } = members(block ?? sdk_block, 'block');
  const { last_block_id, ...rest } = headerOf(header, block ? hexOf : (value) => string(value ?? '', 'hash'));
  const reported = isMembers(evidence) ? optionalPart(() => list(evidence.evidence, 'evidence')) : undefined;
  const lastId = optionalPart(() => idOf(last_block_id));
  return {
    block_id: idOf(members(block_id, 'block_id')),
    block: {
      header: { ...rest, ...(lastId && { last_block_id: lastId }) },
      data: { txs: txsOf(data) },
      evidence: { evidence: reported?.length ? reported : null },
      last_commit: optionalPart(() => commitOf(last_commit)) ?? null,
    },
  };
}

/** Throws `NodeFault` unless the block has the requested height. */
export function blockOf(height: string | undefined, block: LegacyBlock): LegacyBlock {
  if (height !== undefined && block.block.header.height !== height) throw malformed('block of the requested height');
  return block;
}
