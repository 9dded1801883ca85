import { createHash } from 'node:crypto';
import type { Answer } from '../upstream.ts';
import type { Chain } from './chain.ts';

/** A node's answer; it writes JSON without spaces, and a line's end after it. */
export const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
});

/** The body as JSON; undefined where it is none. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What of a path follows `before`, decoded; null where that is nothing, more than one part, or not decodable. */
export function lastPart(path: string, before: string): string | null {
  const part = path.startsWith(before) ? path.slice(before.length) : '';
  if (part === '' || part.includes('/')) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * A node's sight of the chain: it may be some blocks behind the others. `id` gives a block's hash, invented but
 * always the same.
 */
export function createSight(chain: Chain) {
  let behind = 0;
  return {
    lag(blocks: number): void {
      if (!Number.isInteger(blocks) || blocks < 0) throw new RangeError(`not ${blocks} blocks behind`);
      behind = blocks;
    },
    latest(): { height: number; at: number } {
      const newest = chain.latest();
      const height = Math.max(1, newest.height - behind);
      return behind === 0 ? newest : { height, at: chain.timeOf(height) };
    },
    id: (height: number): Buffer => createHash('sha256').update(`${chain.chainId}/${height}`).digest(),
  };
}

export type Sight = ReturnType<typeof createSight>;
