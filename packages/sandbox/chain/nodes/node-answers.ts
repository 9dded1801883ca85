import { createHash } from 'node:crypto';
import type { Answer } from '../../core/upstream.ts';
import type { Chain } from '../chain.ts';

/** A node's answer: compact JSON and a line feed. */
export const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
});

/** What both dialects have in the header of a block. `version` is that of the block protocol. */
export const blockHeader = (
  chain: Chain,
  { height, at }: { height: number; at: number },
  version: string,
) => ({
  version: { block: version, app: '0' },
  chain_id: chain.chainId,
  height: String(height),
  time: new Date(at).toISOString(),
});

/** The decoded last segment of a path after `before`; null if it is empty, several segments, or malformed. */
export function lastPart(path: string, before: string): string | null {
  const part = path.startsWith(before) ? path.slice(before.length) : '';
  if (part === '' || part.includes('/')) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The invented hash of a block, always the same. */
export const blockId = (chain: Chain, height: number): Buffer =>
  createHash('sha256').update(`${chain.chainId}/${height}`).digest();
