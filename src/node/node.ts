import { LRUCache } from 'lru-cache';
import type { NodeCalls } from '#cosmos/dialects/adapter';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { readSearch } from '#cosmos/search';
import { isInBlock } from '#cosmos/transactions';
import { type Broadcasting, createBroadcasting } from './broadcast.ts';
import { nodeProblem, searchProblem } from './problem.ts';

/** The cache size for transactions that are in a block, in characters of JSON. */
const MOST_KEPT = 16 * 1024 * 1024;

type Dependencies = Omit<Parameters<typeof createBroadcasting>[0], 'lookUp'>;

/** Callers must validate addresses and hashes. Throws `node_rejected`, `node_not_configured` or an upstream problem. */
export function createNode({ pool, ...rest }: Dependencies) {
  // A transaction in a block never changes, because SDK chains are final immediately.
  const kept = new LRUCache<string, LegacyTransaction>({
    maxSize: MOST_KEPT,
    sizeCalculation: (transaction) => JSON.stringify(transaction).length,
  });

  /** Caches only transactions that were looked up by hash: a node's other responses are not verified. */
  async function lookUp(hash: string, until?: number): Promise<LegacyTransaction> {
    const transaction = await pool.read((calls) => calls.transaction(hash), until);
    if (isInBlock(transaction)) kept.set(transaction.txhash, transaction);
    return transaction;
  }

  const broadcasting: Broadcasting = createBroadcasting({ pool, lookUp, ...rest });

  const withProblems = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw nodeProblem(error);
    });

  const read = <T>(use: (calls: NodeCalls) => Promise<T>): Promise<T> => withProblems(pool.read(use));

  return {
    balances: (address: string) => read((calls) => calls.balances(address)),
    /** A node returns an empty `address` for an account that does not exist. */
    account: (address: string) => read((calls) => calls.account(address)),

    nodeInfo: () =>
      read(async (calls) => {
        const reported = await calls.nodeInfo();
        pool.checkChain(reported.node_info.network);
        return reported;
      }),

    block: (height?: string) =>
      read(async (calls) => {
        const reported = await calls.block(height);
        pool.checkChain(reported.block.header.chain_id);
        return reported;
      }),

    /** Accepts the query parameters of both dialects. */
    transactions: async (query: readonly (readonly [string, string])[]) => {
      try {
        readSearch(query);
      } catch (error) {
        throw searchProblem(error);
      }
      return read((calls) => calls.transactions(query));
    },

    /** The hash is case-insensitive. A transaction in a block is cached. */
    async transaction(hash: string): Promise<LegacyTransaction> {
      const txhash = hash.toUpperCase();
      return kept.get(txhash) ?? withProblems(lookUp(txhash));
    },

    /** Sends a transaction once. If the outcome is unknown, throws `upstream_timeout` with the hash, if known. */
    broadcast: (request: BroadcastRequest, signal?: AbortSignal) =>
      withProblems(broadcasting.broadcast(request, signal)),

    warnings: pool.warnings,
  };
}

export type Node = ReturnType<typeof createNode>;
