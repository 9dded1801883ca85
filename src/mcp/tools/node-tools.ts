import { z } from 'zod';
import type { Clock } from '#core/clock';
import { address } from '#node/accounts-and-blocks-routes';
import { nodeBalances, nodeTransaction } from '#node/node-records';
import type { Nodes } from '#node/open-node';
import type { NodeCaller } from '#node/pool';
import { hash } from '#node/transactions-routes';
import { defineTool, type ToolCall } from '../tool.ts';
import { write } from '../tool-response.ts';

/** Calls the node within the user's limit of concurrent calls, which the node's routes share. */
export const createCallNode =
  ({ node, begin }: Pick<Nodes, 'node' | 'begin'>) =>
  async <Value>(
    { caller, signal }: ToolCall,
    call: (from: Nodes['node'], by: NodeCaller) => Promise<Value>,
  ): Promise<Value> => {
    const end = begin(caller.user);
    try {
      return await call(node, { user: caller.user, signal: signal() });
    } finally {
      end();
    }
  };

type CallNode = ReturnType<typeof createCallNode>;

export const getBalances = (callNode: CallNode, clock: Clock) =>
  defineTool({
    name: 'get_balances',
    title: 'Get balances',
    description: 'All token balances of an address on the Cosmos chain of this service, in base units. Free.',
    scope: 'node',
    input: z.object({ address: address.meta({ description: 'A bech32 address, e.g. kava1…' }) }),
    output: nodeBalances,

    async call({ address }, call) {
      const data = await callNode(call, (node, by) => node.balances(address, by));
      const rows = data.result.map(({ denom, amount }) => [denom, amount]);
      const written = write(data, ['denom', 'amount'], rows);
      return { written, source: 'node', at: clock.now(), note: `Height: ${data.height}` };
    },
  });

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
      return { written: write(data, ['member', 'value'], rows), source: 'node', at };
    },
  });
