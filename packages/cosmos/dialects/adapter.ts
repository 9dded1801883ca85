import { NodeFault, type SendToNode } from '../exchange.ts';
import { createLegacyAdapter } from './legacy.ts';
import { createModernAdapter } from './modern.ts';
import type { NodeCalls, NodeCapabilities } from './replies.ts';

export type { NodeCalls };

/** `legacy`: the REST interface up to SDK 0.39. `cosmos`: the gRPC gateway that replaced it. */
export type NodeDialect = 'legacy' | 'cosmos';

/** All adapters of one node must share `capabilities`. */
export function createAdapter(dialect: NodeDialect, send: SendToNode, capabilities: NodeCapabilities = {}): NodeCalls {
  return dialect === 'legacy' ? createLegacyAdapter(send) : createModernAdapter(send, capabilities);
}

/** Detects the dialect by requesting the latest block. Returns `cosmos` for a node with both. Throws `NodeFault`. */
export async function detectDialect(send: SendToNode): Promise<NodeDialect> {
  for (const dialect of ['cosmos', 'legacy'] as const) {
    try {
      await createAdapter(dialect, send).latestHeight();
      return dialect;
    } catch (error) {
      if (!(error instanceof NodeFault && /^(wrong_dialect|malformed)$/.test(error.kind))) throw error;
    }
  }
  throw new NodeFault('malformed', 'the server supports neither REST dialect of a Cosmos SDK node');
}
