import type { NodeCalls } from '../../cosmos/dialects/adapter.ts';
import { createLegacyAdapter } from '../../cosmos/dialects/legacy.ts';
import { answered } from '../../cosmos/dialects/replies.ts';
import { legacySearch, legacyTransaction } from '../../cosmos/dialects/transactions.ts';
import type { AskNode } from '../../cosmos/exchange.ts';

/**
 * An adapter for a node behind the service, which has the legacy shapes whatever the node's dialect. Unlike a legacy
 * node it accepts searches of either dialect, decodes them once, and also accepts a transaction's bytes.
 */
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
