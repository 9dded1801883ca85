import { type AskNode, NodeFault } from './exchange.ts';
import { speakLegacy } from './legacy.ts';
import type { BroadcastRequest, LegacyBalances, LegacySearch, LegacyTransaction } from './legacy-shapes.ts';
import { speakModern } from './modern.ts';

/** `legacy`: the REST interface of SDK 0.39 and before; `cosmos`: the gRPC gateway that took its place. */
export type NodeDialect = 'legacy' | 'cosmos';

/**
 * The calls there are, in the legacy shapes whichever dialect they are made in. The address and the hash must have
 * been checked. Each throws `NodeRejection` for a request that the node refuses, `NodeFault` for a node that fails,
 * and whatever the carrier throws.
 */
export type NodeCalls = {
  /** Every balance of an address. */
  balances(address: string): Promise<LegacyBalances>;
  /** A page of transactions; the query in the words of either dialect (`readSearch`). */
  transactions(query: readonly (readonly [name: string, value: string])[]): Promise<LegacySearch>;
  /** One transaction; `NodeRejection` with 404 when the node does not know it. */
  transaction(hash: string): Promise<LegacyTransaction>;
  /**
   * Sends a transaction. One that the chain refuses comes back with its `code`. On a modern node `block` goes out as
   * `sync`, and `untilInBlock` does the rest; a legacy node takes `tx` alone, and a modern one `tx_bytes` alone: the
   * other is a `NodeRejection` with 422, and nothing is sent.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  /** The height of the newest block that the node has. */
  latestHeight(): Promise<number>;
};

/** What is learnt of a modern node on the way: where it looks for the conditions of a search. */
export type NodeHabits = { conditionsIn?: 'query' | 'events' };

/**
 * The calls of one node.
 *
 * @param habits kept by whoever asks the same node through more than one `speak`
 */
export function speak(dialect: NodeDialect, ask: AskNode, habits: NodeHabits = {}): NodeCalls {
  return dialect === 'legacy' ? speakLegacy(ask) : speakModern(ask, habits);
}

/**
 * Which dialect a node speaks, by its latest block; `cosmos` for one that speaks both, as every node of today does.
 * Throws `NodeFault` when it speaks neither or is in trouble, and what the carrier throws.
 */
export async function detectDialect(ask: AskNode): Promise<NodeDialect> {
  for (const dialect of ['cosmos', 'legacy'] as const) {
    try {
      await speak(dialect, ask).latestHeight();
      return dialect;
    } catch (error) {
      const isOther = error instanceof NodeFault && /^(wrong_dialect|nonsense)$/.test(error.kind);
      if (!isOther) throw error;
    }
  }
  throw new NodeFault('nonsense', 'the server speaks neither dialect of a node');
}
