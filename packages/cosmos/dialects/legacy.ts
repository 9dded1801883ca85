import { NodeRejection, type Pairs, type SendToNode } from '../exchange.ts';
import { balancesIn, count, headOf, isMembers, malformed } from '../parsers.ts';
import { legacyParameters, readSearch } from '../search.ts';
import { legacyAccount, legacyNodeInfo } from './accounts.ts';
import { blockOf, legacyBlock } from './blocks.ts';
import { bodyOf, notFound } from './node-errors.ts';
import type { NodeCalls, NodeCapabilities } from './replies.ts';
import { legacySearch, legacyTransaction, transactionOf } from './transactions.ts';

/** Calls the legacy interface. Its responses have the legacy shapes but may omit members. */
export function createLegacyAdapter(send: SendToNode, { reportOmitted }: NodeCapabilities = {}): NodeCalls {
  const get = async (path: string, query: Pairs = [], isHeightChosen = false) =>
    bodyOf(await send({ method: 'GET', path, query }), { isHeightChosen });

  async function balances(address: string) {
    const { height, result } = await get(`/bank/balances/${encodeURIComponent(address)}`);
    if (result === undefined) throw malformed('result');
    return { height: count(height, 'height'), result: balancesIn(result, reportOmitted) };
  }

  const prepare: NodeCalls['prepare'] = async (request) => {
    if (!isMembers(request.tx))
      throw new NodeRejection(422, 'this node accepts only amino JSON; send the transaction in tx');
    return request;
  };

  return {
    balances,

    async account(address) {
      const { height, result } = await get(`/auth/accounts/${encodeURIComponent(address)}`);
      const readBalances = async () => (await balances(address)).result;
      return {
        height: count(height, 'height'),
        result: await legacyAccount(address, result, readBalances, reportOmitted),
      };
    },

    nodeInfo: async () => legacyNodeInfo(await get('/node_info')),
    block: async (height) =>
      blockOf(height, legacyBlock(await get(`/blocks/${height ?? 'latest'}`, [], height !== undefined))),
    transactions: async (query) => legacySearch(await get('/txs', legacyParameters(readSearch(query))), reportOmitted),

    async transaction(hash) {
      try {
        return transactionOf(hash, legacyTransaction(await get(`/txs/${encodeURIComponent(hash)}`)));
      } catch (error) {
        throw notFound(error);
      }
    },

    prepare,

    async broadcast(request) {
      const { tx, mode } = await prepare(request);
      return legacyTransaction(bodyOf(await send({ method: 'POST', path: '/txs', query: [], body: { tx, mode } })));
    },

    async head() {
      const { block, block_meta } = await get('/blocks/latest');
      return headOf(isMembers(block) ? block : block_meta);
    },
  };
}
