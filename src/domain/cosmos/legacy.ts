import { type AskNode, NodeRejection } from './exchange.ts';
import type { NodeCalls } from './node-calls.ts';
import { coins, count, heightOf, isMembers, malformed } from './parsers.ts';
import { answered, notFound } from './replies.ts';
import { legacyParameters, readSearch } from './search.ts';
import { legacySearch, legacyTransaction, transactionOf } from './transactions.ts';

/** The legacy interface: its answers have the legacy shapes, but for what it leaves out. */
export function createLegacyAdapter(ask: AskNode): NodeCalls {
  const get = async (path: string, query: readonly (readonly [string, string])[] = []) =>
    answered(await ask({ method: 'GET', path, query }));

  return {
    async balances(address) {
      const { height, result } = await get(`/bank/balances/${encodeURIComponent(address)}`);
      if (result === undefined) throw malformed('result');
      return { height: count(height, 'height'), result: coins(result) };
    },

    async transactions(query) {
      return legacySearch(await get('/txs', legacyParameters(readSearch(query))));
    },

    async transaction(hash) {
      try {
        return transactionOf(hash, await get(`/txs/${encodeURIComponent(hash)}`));
      } catch (error) {
        throw notFound(error);
      }
    },

    async broadcast({ tx, mode }) {
      if (!isMembers(tx)) throw new NodeRejection(422, 'this node takes amino JSON: send tx');
      const body = { tx, mode };
      return legacyTransaction(answered(await ask({ method: 'POST', path: '/txs', query: [], body })));
    },

    async latestHeight() {
      const { block, block_meta } = await get('/blocks/latest');
      return heightOf(isMembers(block) ? block : block_meta);
    },
  };
}
