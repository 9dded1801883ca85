import { z } from 'zod';
import type { Clock } from '#core/clock';
import { nodeTransaction } from '#node/node-records';
import { hash } from '#node/transactions-routes';
import type { CallNode } from '../call-node.ts';
import { defineTool } from '../tool.ts';

/** The members that fit in a line. `structuredContent` has all. */
const SHOWN = ['txhash', 'height', 'timestamp', 'code', 'codespace', 'gas_wanted', 'gas_used', 'raw_log'] as const;
const MAX_CHARACTERS = 500;

export const getTransaction = (callNode: CallNode, clock: Clock) =>
  defineTool({
    name: 'get_transaction',
    title: 'Get a transaction',
    description: 'A transaction on the Cosmos chain of this service, by hash: height, result, gas, messages. Free.',
    scope: 'node',
    input: z.object({ hash: hash.meta({ description: '64 hex digits' }) }),
    output: nodeTransaction,

    async call({ hash }, call) {
      const data = await callNode(call, (node, by) => node.transaction(hash, by));
      const rows = SHOWN.flatMap((name) =>
        data[name] === undefined ? [] : [[name, String(data[name]).slice(0, MAX_CHARACTERS)]],
      );
      const at = Date.parse(data.timestamp ?? '') || clock.now();
      return { data, columns: ['member', 'value'], rows, source: 'node', at };
    },
  });
