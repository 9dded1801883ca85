import type { NodeCalls } from '../../cosmos/dialects/adapter.ts';
import { createLegacyAdapter } from '../../cosmos/dialects/legacy.ts';
import { answered } from '../../cosmos/dialects/replies.ts';
import { legacySearch, legacyTransaction } from '../../cosmos/dialects/transactions.ts';
import type { AskNode } from '../../cosmos/exchange.ts';

/** A node behind the service: legacy shapes, but searches of either dialect, and transactions as bytes too. */
export function createServiceAdapter(ask: AskNode): NodeCalls {
  return {
    ...createLegacyAdapter(ask),
    prepare: async (request) => request,
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
