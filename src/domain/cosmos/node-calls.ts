import type { BroadcastRequest, LegacyBalances, LegacySearch, LegacyTransaction } from './legacy-shapes.ts';

/**
 * The calls there are, in the legacy shapes whichever dialect they are made in. The address and the hash must have
 * been checked. Each throws `NodeRejection` for a request that the node refuses, `NodeFault` for a node that fails,
 * and whatever the transport throws.
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

/** What a modern node was found to support: where it takes the conditions of a search. */
export type NodeCapabilities = { conditionsIn?: 'query' | 'events' };
