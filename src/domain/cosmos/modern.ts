import { type AskNode, NodeRejection, type NodeReply } from './exchange.ts';
import type { Coin } from './legacy-shapes.ts';
import type { NodeCalls, NodeCapabilities } from './node-calls.ts';
import { coins, heightOf, isMembers, MAX_BALANCES, malformed, tooLarge } from './parsers.ts';
import { answered, notFound } from './replies.ts';
import { modernParameters, readSearch } from './search.ts';
import { legacySearchOfModern, legacyTransaction, transactionOf } from './transactions.ts';

/** A node gives 100 balances a page: an address with more than this many pages is not read. */
const MAX_PAGES = 100;

const TXS = '/cosmos/tx/v1beta1/txs';
const MODES = {
  sync: 'BROADCAST_MODE_SYNC',
  async: 'BROADCAST_MODE_ASYNC',
  block: 'BROADCAST_MODE_SYNC',
} as const;

/** What a node says that looks for a search's conditions in the other parameter. */
const WANTED = { events: /at least one event/i, query: /query cannot be empty/i } as const;

/** The gRPC gateway's interface, its answers put into the legacy shapes. */
export function createModernAdapter(ask: AskNode, capabilities: NodeCapabilities): NodeCalls {
  const get = (path: string, query: readonly (readonly [string, string])[] = []) =>
    ask({ method: 'GET', path, query });

  async function latestHeight(): Promise<number> {
    const { block, sdk_block } = answered(await get('/cosmos/base/tendermint/v1beta1/blocks/latest'));
    return heightOf(isMembers(block) ? block : sdk_block);
  }

  /** The block that an answer is of: most nodes tell it in a header. */
  async function heightOfReply({ blockHeight = '' }: NodeReply): Promise<string> {
    return /^\d{1,20}$/.test(blockHeight) ? blockHeight : String(await latestHeight());
  }

  return {
    async balances(address) {
      const path = `/cosmos/bank/v1beta1/balances/${encodeURIComponent(address)}`;
      const result: Coin[] = [];
      const asked = new Set<string>();
      let height: string | undefined;
      for (let key = ''; !asked.has(key) && asked.size < MAX_PAGES; ) {
        asked.add(key);
        const reply = await get(path, key === '' ? [] : [['pagination.key', key]]);
        const { balances, pagination } = answered(reply);
        if (balances === undefined) throw malformed('balances');
        for (const coin of coins(balances)) result.push(coin);
        if (result.length > MAX_BALANCES) throw tooLarge('balances');
        height ??= await heightOfReply(reply);
        const next = isMembers(pagination) ? pagination.next_key : undefined;
        if (typeof next !== 'string' || next === '') return { height, result };
        key = next;
      }
      throw malformed('end');
    },

    async transactions(query) {
      const search = readSearch(query);
      const find = async (conditionsIn: keyof typeof WANTED) => {
        const body = answered(await get(TXS, modernParameters(search, conditionsIn)));
        return legacySearchOfModern(body, search.page, search.limit);
      };
      const { conditionsIn = 'query' } = capabilities;
      try {
        return await find(conditionsIn);
      } catch (error) {
        const other = conditionsIn === 'query' ? 'events' : 'query';
        if (!(error instanceof NodeRejection) || !WANTED[other].test(error.message)) throw error;
        capabilities.conditionsIn = other;
        return find(other);
      }
    },

    async transaction(hash) {
      try {
        const { tx_response, tx } = answered(await get(`${TXS}/${encodeURIComponent(hash)}`));
        return transactionOf(hash, tx_response, tx);
      } catch (error) {
        throw notFound(error);
      }
    },

    async broadcast({ tx_bytes, mode }) {
      if (tx_bytes === undefined) {
        throw new NodeRejection(422, 'this node takes no amino JSON: send tx_bytes');
      }
      const body = { tx_bytes, mode: MODES[mode] };
      return legacyTransaction(
        answered(await ask({ method: 'POST', path: TXS, query: [], body })).tx_response,
      );
    },

    latestHeight,
  };
}
