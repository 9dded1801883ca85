import type { Pairs } from '../exchange.ts';
import type {
  BroadcastRequest,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacyNodeInfo,
  LegacySearch,
  LegacyTransaction,
} from '../legacy-shapes.ts';
import type { ReportOmitted } from '../parsers.ts';

/**
 * The calls of both dialects. Results have the legacy shapes. The caller must validate addresses and hashes. Each call
 * throws `NodeRejection` for a rejected request, `NodeFault` for a failure of the node, and errors of the transport.
 */
export type NodeCalls = {
  balances(address: string): Promise<LegacyBalances>;
  /** One page of transactions. The query may be in either dialect (see `readSearch`). */
  transactions(query: Pairs): Promise<LegacySearch>;
  /** Throws `NodeRejection` with 404 for a hash that the node does not know. */
  transaction(hash: string): Promise<LegacyTransaction>;
  /** An account that does not exist has an empty `address`. */
  account(address: string): Promise<LegacyAccount>;
  nodeInfo(): Promise<LegacyNodeInfo>;
  /** Returns the block at a height. The default is the latest block. */
  block(height?: string): Promise<LegacyBlock>;
  /**
   * Converts a request to the form that the node accepts, without broadcasting it. For a modern node, encodes amino
   * JSON, which requires the signers' accounts. Throws `NodeRejection` with 422 for an unsupported form.
   * @param sequence the sequence of the single signer, if the caller knows a newer one than the latest block's
   */
  prepare(request: BroadcastRequest, sequence?: string): Promise<BroadcastRequest>;
  /**
   * Sends a transaction. If the chain rejects it, the result contains its `code`. A modern node receives `sync` instead
   * of `block`, so the caller must wait with `untilInBlock`. Throws `NodeRejection` with 422 for an unsupported form,
   * before anything is sent.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  /** The latest block's height and chain ID, and CometBFT's major version; undefined if the node omits it. */
  head(): Promise<{ height: number; chainId: string | undefined; version?: string | undefined }>;
};

/** The state of one node that its adapters share, and the reports about its responses. */
export type NodeCapabilities = {
  /** The parameter in which a modern node expects the conditions of a search. */
  conditionsIn?: 'query' | 'events';
  /** Receives the number of malformed transactions, balances or block parts that a response lacks as a result. */
  reportOmitted?: ReportOmitted;
};
