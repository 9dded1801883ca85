import { LRUCache } from 'lru-cache';
import type { NodeCalls } from '#cosmos/dialects/adapter';
import type {
  BroadcastRequest,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacyNodeInfo,
  LegacySearch,
  LegacyTransaction,
} from '#cosmos/legacy-shapes';
import { readSearch } from '#cosmos/search';
import { isInBlock } from '#cosmos/transactions';
import { type Broadcasting, createBroadcasting } from './broadcast.ts';
import { nodeProblem, notConfigured, searchProblem } from './problem.ts';

/** How much is kept of transactions that are in a block, in characters of their JSON. */
const MOST_KEPT = 16 * 1024 * 1024;

type Dependencies = Omit<Parameters<typeof createBroadcasting>[0], 'lookUp'>;

/**
 * The calls to the node that there are. The address and the hash must have been checked. Each throws a problem:
 * `node_rejected`, or one of those of an upstream; `node_not_configured` when there is no node.
 */
export function createNode({ pool, ...rest }: Dependencies) {
  // Nothing in a transaction that is in a block will ever change: chains of the SDK are final at once.
  const kept = new LRUCache<string, LegacyTransaction>({
    maxSize: MOST_KEPT,
    sizeCalculation: (transaction) => JSON.stringify(transaction).length,
  });

  /** Only what was looked up is kept: it has the hash that was asked for, whatever else a node may say. */
  async function lookUp(hash: string, until?: number): Promise<LegacyTransaction> {
    const transaction = await pool.read((calls) => calls.transaction(hash), until);
    if (isInBlock(transaction)) kept.set(transaction.txhash, transaction);
    return transaction;
  }

  const broadcasting: Broadcasting = createBroadcasting({ pool, lookUp, ...rest });

  function requireNode(): void {
    if (pool.size === 0) throw notConfigured();
  }

  const told = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw nodeProblem(error);
    });

  async function read<T>(use: (calls: NodeCalls) => Promise<T>): Promise<T> {
    requireNode();
    return told(pool.read(use));
  }

  return {
    balances: (address: string): Promise<LegacyBalances> => read((calls) => calls.balances(address)),

    /** The account of an address; one that does not exist has an empty `address`. */
    account: (address: string): Promise<LegacyAccount> => read((calls) => calls.account(address)),

    /** The chain's id, and the versions of a node. */
    nodeInfo: (): Promise<LegacyNodeInfo> =>
      read(async (calls) => {
        const told = await calls.nodeInfo();
        pool.checkChain(told.node_info.network);
        return told;
      }),

    /** A block by its height, the newest without one. */
    block: (height?: string): Promise<LegacyBlock> =>
      read(async (calls) => {
        const told = await calls.block(height);
        pool.checkChain(told.block.header.chain_id);
        return told;
      }),

    /** A page of transactions; the query as it came, in the words of either dialect. */
    transactions: async (query: readonly (readonly [string, string])[]): Promise<LegacySearch> => {
      try {
        readSearch(query);
      } catch (error) {
        throw searchProblem(error);
      }
      return read((calls) => calls.transactions(query));
    },

    /** One transaction, by its hash in either case; once it is in a block it is remembered. */
    async transaction(hash: string): Promise<LegacyTransaction> {
      const txhash = hash.toUpperCase();
      requireNode();
      return kept.get(txhash) ?? told(lookUp(txhash));
    },

    /** Sends a transaction once, whatever happens; `upstream_timeout` has its hash where what became of it is open. */
    async broadcast(request: BroadcastRequest, signal?: AbortSignal): Promise<LegacyTransaction> {
      requireNode();
      return told(broadcasting.broadcast(request, signal));
    },

    /** What is wrong with which node. */
    warnings: pool.warnings,
  };
}

export type Node = ReturnType<typeof createNode>;
