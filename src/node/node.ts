import { LRUCache } from 'lru-cache';
import type { NodeCalls } from '#cosmos/dialects/adapter';
import type { Pairs } from '#cosmos/exchange';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { readSearch } from '#cosmos/search';
import { isInBlock } from '#cosmos/transactions';
import { createBroadcasting } from './broadcast.ts';
import type { NodeCaller, NodePool } from './pool.ts';
import { nodeProblem, searchProblem } from './problem.ts';

/** The cache size for transactions that are in a block, in characters of JSON. */
const MAX_CACHED = 16 * 1024 * 1024;

type Dependencies = Omit<Parameters<typeof createBroadcasting>[0], 'lookUp' | 'pool'> & {
  pool: NodePool<NodeCalls>;
};

/**
 * Callers must validate addresses and hashes. Throws `node_rejected`, `node_not_configured`, an upstream problem, or the
 * reason of the signal, which cancels a read when its client disconnects.
 */
export function createNode({ pool, ...rest }: Dependencies) {
  // A transaction in a block never changes, because SDK chains are final immediately.
  const cached = new LRUCache<string, LegacyTransaction>({
    maxSize: MAX_CACHED,
    sizeCalculation: (transaction) => JSON.stringify(transaction).length,
  });

  /** Caches only transactions that were looked up by hash: a node's other responses are not verified. */
  async function lookUp(hash: string, until?: number, by?: NodeCaller): Promise<LegacyTransaction> {
    const transaction = await pool.read((calls) => calls.transaction(hash), { ...by, until });
    if (isInBlock(transaction)) cached.set(transaction.txhash, transaction);
    return transaction;
  }

  const broadcasting = createBroadcasting({ pool, lookUp, ...rest });

  const withProblems = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw nodeProblem(error);
    });

  const read = <T>(use: (calls: NodeCalls) => Promise<T>, by: NodeCaller | undefined): Promise<T> =>
    withProblems(pool.read(use, by));

  /** Rejects a response from another chain. */
  async function onChain<T>(response: Promise<T>, chainIdOf: (reported: T) => string): Promise<T> {
    const reported = await response;
    pool.checkChain(chainIdOf(reported));
    return reported;
  }

  return {
    balances: (address: string, by?: NodeCaller) => read((calls) => calls.balances(address), by),
    /** A node returns an empty `address` for an account that does not exist. */
    account: (address: string, by?: NodeCaller) => read((calls) => calls.account(address), by),

    nodeInfo: (by?: NodeCaller) => read((calls) => onChain(calls.nodeInfo(), ({ node_info }) => node_info.network), by),

    block: (height?: string, by?: NodeCaller) =>
      read((calls) => onChain(calls.block(height), ({ block }) => block.header.chain_id), by),

    /** Accepts the query parameters of both dialects. */
    transactions: async (query: Pairs, by?: NodeCaller) => {
      try {
        readSearch(query);
      } catch (error) {
        throw searchProblem(error);
      }
      return read((calls) => calls.transactions(query), by);
    },

    /** The hash is case-insensitive. A transaction in a block is cached. */
    async transaction(hash: string, by?: NodeCaller): Promise<LegacyTransaction> {
      const txhash = hash.toUpperCase();
      return cached.get(txhash) ?? withProblems(lookUp(txhash, undefined, by));
    },

    /** Sends a transaction once. If the outcome is unknown, throws `upstream_timeout` with the hash, if known. */
    broadcast: (request: BroadcastRequest, by?: NodeCaller) => withProblems(broadcasting.broadcast(request, by)),

    warnings: pool.warnings,
  };
}

export type Node = ReturnType<typeof createNode>;
