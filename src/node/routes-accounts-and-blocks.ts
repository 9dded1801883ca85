import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isAddress } from '#cosmos/conversion/bech32';
import { NODE_EXAMPLES, nodeAccount, nodeBalances, nodeBlock, nodeInfo } from './records.ts';
import { linkToExplorer, NODE_FACTS, type NodeScope } from './routes.ts';

export const address = z
  .string()
  .refine(isAddress, 'must be a valid address')
  .meta({
    description: 'An account address',
    fix: 'a lowercase bech32 address with a valid checksum',
    wire: { type: 'string', pattern: '^[a-z0-9]{8,90}$', examples: [NODE_EXAMPLES.address] },
  });

const height = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, 'must be a block height')
  .meta({
    description: 'The block height',
    fix: 'a positive integer, or latest',
    wire: { type: 'string', pattern: '^[1-9]\\d{0,17}$', examples: ['151980'] },
  });

const balances = {
  tags: ['node'],
  summary: 'Read the balances of an address',
  description:
    'Returns the balances in all denominations. Amounts are integers in strings. If the address has no balances, the list is empty.',
  operationId: 'getBalances',
  params: z.object({ address }),
  response: { 200: nodeBalances },
};

const account = {
  tags: ['node'],
  summary: 'Read the account of an address',
  description:
    'Returns the account number and the sequence. To sign, a wallet needs these values and the chain ID. If ' +
    'the account does not exist, the response is 200 with an empty `address` and zeros. Vesting and module ' +
    'accounts are returned as a flat object.',
  operationId: 'getAccount',
  params: z.object({ address }),
  response: { 200: nodeAccount },
};

const info = {
  tags: ['node'],
  summary: 'Read the chain ID and the node versions',
  description: '`network` contains the chain ID. A wallet needs it to sign.',
  operationId: 'getNodeInfo',
  response: { 200: nodeInfo },
};

const latestBlock = {
  tags: ['node'],
  summary: 'Read the newest block',
  description: 'Returns the newest block of the node, with its ID and header.',
  operationId: 'getLatestBlock',
  response: { 200: nodeBlock },
};

const block = {
  tags: ['node'],
  summary: 'Read a block by its height',
  description: 'If the node does not have the block, the response is the problem `node_rejected`.',
  operationId: 'getBlock',
  params: z.object({ height }),
  response: { 200: nodeBlock },
};

export const accountsAndBlocks: FastifyPluginAsyncZod<NodeScope> = async (app, { node, explorer, call }) => {
  const config = { ...NODE_FACTS, rejections: [400, 404] };

  app.get(
    '/bank/balances/:address',
    { schema: balances, config: { ...config, headers: ['Link?'] } },
    async (request, reply) => {
      const { params } = request;
      const found = await call(request, reply, () => node.balances(params.address));
      linkToExplorer(reply, explorer.address, 'address', params.address);
      return found;
    },
  );

  app.get('/auth/accounts/:address', { schema: account, config }, (request, reply) =>
    call(request, reply, () => node.account(request.params.address)),
  );

  app.get('/node_info', { schema: info, config }, (request, reply) => call(request, reply, () => node.nodeInfo()));

  app.get('/blocks/latest', { schema: latestBlock, config }, (request, reply) =>
    call(request, reply, () => node.block()),
  );

  app.get('/blocks/:height', { schema: block, config }, (request, reply) =>
    call(request, reply, () => node.block(request.params.height)),
  );
};
