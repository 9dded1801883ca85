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

/** The answer of the route of a path; `{id}` at the end of a route stands for a segment, which it gets decoded. */
export function answerAt(
  path: string,
  routes: Readonly<Record<string, (id: string) => Answer>>,
): Answer | undefined {
  if (Object.hasOwn(routes, path)) return routes[path]?.('');
  const start = path.lastIndexOf('/') + 1;
  const route = start < path.length ? routes[`${path.slice(0, start)}{id}`] : undefined;
  let id: string;
  try {
    id = decodeURIComponent(path.slice(start));
  } catch {
    return undefined;
  }
  return route?.(id);
}

/** The invented hash of a block, always the same. */
export const blockId = (chain: Chain, height: number): Buffer =>
  createHash('sha256').update(`${chain.chainId}/${height}`).digest();

/** The block of a height, or the latest. */
export const blockAt = (chain: Chain, of: string) =>
  of === 'latest' ? chain.latest() : chain.block(Number(of));
