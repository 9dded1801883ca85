import type {
  BroadcastRequest,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacyNodeInfo,
  LegacySearch,
  LegacyTransaction,
} from '../legacy-shapes.ts';

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
  /** The account of an address, with what it owns; one that does not exist has an empty `address`. */
  account(address: string): Promise<LegacyAccount>;
  /** The chain's id and the node's versions. */
  nodeInfo(): Promise<LegacyNodeInfo>;
  /** A block by its height; the newest where none is given. */
  block(height?: string): Promise<LegacyBlock>;
  /**
   * A request in the form that this node takes: amino JSON is encoded for a modern one. `NodeRejection` with 422 for
   * what it has no form for. Nothing is sent, but a modern node is asked who signs.
   *
   * @param sequence of the one signer, where it is known better than by the account as of the last block
   */
  prepare(request: BroadcastRequest, sequence?: string): Promise<BroadcastRequest>;
  /**
   * Sends a transaction. One that the chain refuses comes back with its `code`. On a modern node `block` goes out as
   * `sync`, and `untilInBlock` does the rest. What the node does not take is a `NodeRejection` with 422, and nothing is
   * sent.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  /** The height of the newest block that the node has. */
  latestHeight(): Promise<number>;
  /** The same, and the id of its chain, where it tells it. */
  head(): Promise<{ height: number; chainId: string | undefined }>;
};

/** What a modern node was found to support: where it takes the conditions of a search. */
export type NodeCapabilities = { conditionsIn?: 'query' | 'events' };
