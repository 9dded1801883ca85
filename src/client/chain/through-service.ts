import type { NodeCalls } from '../../domain/cosmos/adapter.ts';
import type { AskNode } from '../../domain/cosmos/exchange.ts';
import { createLegacyAdapter } from '../../domain/cosmos/legacy.ts';
import { answered } from '../../domain/cosmos/replies.ts';
import { legacySearch, legacyTransaction } from '../../domain/cosmos/transactions.ts';

/**
 * The calls of a node behind the service, which gives the legacy shapes whatever the node speaks. Unlike a legacy node
 * it takes a search in the words of either dialect, decodes it once, and takes a transaction's bytes as well.
 */
export function speakThroughService(ask: AskNode): Omit<NodeCalls, 'latestHeight'> {
  const { balances, transaction } = createLegacyAdapter(ask);
  return {
    balances,
    transaction,
    async transactions(query) {
      return legacySearch(answered(await ask({ method: 'GET', path: '/txs', query })));
    },
    async broadcast(request) {
      return legacyTransaction(
        answered(await ask({ method: 'POST', path: '/txs', query: [], body: request })),
      );
    },
  };
}
