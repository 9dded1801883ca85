import { NodeFault, type SendToNode } from '../exchange.ts';
import { createLegacyAdapter } from './legacy.ts';
import { createModernAdapter } from './modern.ts';
import type { NodeCalls, NodeCapabilities } from './replies.ts';

export type { NodeCalls, NodeCapabilities };

/** `legacy`: the REST interface up to SDK 0.39. `cosmos`: the gRPC gateway that replaced it. */
export const ADAPTERS = { legacy: createLegacyAdapter, cosmos: createModernAdapter };
export type NodeDialect = keyof typeof ADAPTERS;

/** Detects the dialect with the latest block. `cosmos` if a node supports both dialects. Throws `NodeFault`. */
export async function detectDialect(send: SendToNode): Promise<NodeDialect> {
  for (const dialect of ['cosmos', 'legacy'] as const) {
    try {
      await ADAPTERS[dialect](send).head();
      return dialect;
    } catch (error) {
      if (!(error instanceof NodeFault && /^(wrong_dialect|malformed)$/.test(error.kind))) throw error;
    }
  }
  throw new NodeFault(
    'malformed',
    'the server does not support the modern or the legacy REST dialect of a Cosmos SDK node',
  );
}
