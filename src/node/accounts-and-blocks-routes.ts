import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isAddress, lowerCaseAddress } from '#cosmos/conversion/bech32';
import { NODE_EXAMPLES, nodeAccount, nodeBalances, nodeBlock, nodeInfo } from './node-records.ts';
import { linkToExplorer, NODE_FACTS, type NodeScope, operation } from './node-routes.ts';

export const address = z
  .string()
  .overwrite(lowerCaseAddress)
  .refine(isAddress, 'must be a valid address')
  .meta({
    description: 'An account address, entirely in lower case or entirely in upper case',
    fix: 'a bech32 address with a valid checksum, entirely in lower case or entirely in upper case',
    wire: { type: 'string', pattern: '^([a-z0-9]{8,90}|[A-Z0-9]{8,90})$', examples: [NODE_EXAMPLES.address] },
  });

const height = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, 'must be a block height')
  .meta({
    description: 'The block height',
    fix: 'a positive integer, or latest',
    wire: { type: 'string', pattern: '^[1-9]\\d{0,17}$', examples: ['151980'] },
  });

const balances = operation(
  'getBalances',
  'Read the balances of an address',
  'Returns the balances in all denominations. Amounts are integers in strings. If the address has no balances, the list is empty.',
);
const account = operation(
  'getAccount',
  'Read the account of an address',
  'Returns the account number and the sequence. To sign, a wallet needs these values and the chain ID. If ' +
    'the account does not exist, the response is 200 with an empty `address` and zeros. Vesting and module ' +
    'accounts are returned as a flat object.',
);
const info = operation(
  'getNodeInfo',
  'Read the chain ID and the node versions',
  '`network` contains the chain ID. A wallet needs it to sign.',
);
const latestBlock = operation(
  'getLatestBlock',
  'Read the newest block',
  'Returns the newest block of the node, with its ID and header.',
);
const block = operation(
  'getBlock',
  'Read a block by its height',
  'If the node does not have the block, the response is the problem `node_rejected`.',
);

const ofAddress = z.object({ address });
const ofHeight = z.object({ height });

export const accountsAndBlocks: FastifyPluginAsyncZod<NodeScope> = async (app, { node, explorer, call }) => {
  const config = { ...NODE_FACTS, rejections: [400, 404] };

  app.get(
    '/bank/balances/:address',
    {
      schema: { ...balances, params: ofAddress, response: { 200: nodeBalances } },
      config: { ...config, headers: ['Link?'] },
    },
    async (request, reply) => {
      const { params } = request;
      const found = await call(request, reply, (by) => node.balances(params.address, by));
      linkToExplorer(reply, explorer.address, 'address', params.address);
      return found;
    },
  );

  const ofAccount = { ...account, params: ofAddress, response: { 200: nodeAccount } };
  app.get('/auth/accounts/:address', { schema: ofAccount, config }, (request, reply) =>
    call(request, reply, (by) => node.account(request.params.address, by)),
  );
  app.get('/node_info', { schema: { ...info, response: { 200: nodeInfo } }, config }, (request, reply) =>
    call(request, reply, (by) => node.nodeInfo(by)),
  );
  app.get('/blocks/latest', { schema: { ...latestBlock, response: { 200: nodeBlock } }, config }, (request, reply) =>
    call(request, reply, (by) => node.block(undefined, by)),
  );
  const ofBlock = { ...block, params: ofHeight, response: { 200: nodeBlock } };
  app.get('/blocks/:height', { schema: ofBlock, config }, (request, reply) =>
    call(request, reply, (by) => node.block(request.params.height, by)),
  );
};
