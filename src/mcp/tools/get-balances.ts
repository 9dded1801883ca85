import { z } from 'zod';
import type { Clock } from '#core/clock';
import { address } from '#node/accounts-and-blocks-routes';
import { nodeBalances } from '#node/node-records';
import type { CallNode } from '../call-node.ts';
import { defineTool } from '../tool.ts';

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
      return {
        data,
        columns: ['denom', 'amount'],
        rows,
        source: 'node',
        at: clock.now(),
        note: `Height: ${data.height}`,
      };
    },
  });
