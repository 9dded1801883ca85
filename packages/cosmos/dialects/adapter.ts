import { type AskNode, NodeFault } from '../exchange.ts';
import { createLegacyAdapter } from './legacy.ts';
import { createModernAdapter } from './modern.ts';
import type { NodeCalls, NodeCapabilities } from './replies.ts';

export type { NodeCalls };

/** `legacy`: the REST interface of SDK 0.39 and before; `cosmos`: the gRPC gateway that took its place. */
export type NodeDialect = 'legacy' | 'cosmos';

/** The calls of one node; all its adapters share `capabilities`. */
export function createAdapter(dialect: NodeDialect, ask: AskNode, capabilities: NodeCapabilities = {}): NodeCalls {
  return dialect === 'legacy' ? createLegacyAdapter(ask) : createModernAdapter(ask, capabilities);
}

/** The dialect of a node, by its latest block; `cosmos` if it speaks both. Throws `NodeFault` if it speaks neither. */
export async function detectDialect(ask: AskNode): Promise<NodeDialect> {
  for (const dialect of ['cosmos', 'legacy'] as const) {
    try {
      await createAdapter(dialect, ask).latestHeight();
      return dialect;
    } catch (error) {
      const isOther = error instanceof NodeFault && /^(wrong_dialect|malformed)$/.test(error.kind);
      if (!isOther) throw error;
    }
  }
  throw new NodeFault('malformed', 'the server speaks neither dialect of a node');
}
