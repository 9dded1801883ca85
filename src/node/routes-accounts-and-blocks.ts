import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isAddress } from '#cosmos/conversion/bech32';
import { NODE_EXAMPLES, nodeAccount, nodeBalances, nodeBlock, nodeInfo } from './records.ts';
import { linkToExplorer, NODE_FACTS, type NodeScope } from './routes-node-call.ts';

const address = z
  .string()
  .refine(isAddress, 'is not an address')
  .meta({
    description: 'An address of the chain',
    fix: 'an address in bech32, with its checksum, in lower case',
    wire: { type: 'string', pattern: '^[a-z0-9]{8,90}$', examples: [NODE_EXAMPLES.address] },
  });

const height = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, 'is not the height of a block')
  .meta({
    description: 'The height of a block',
    fix: 'a whole number from 1, or latest',
    wire: { type: 'string', pattern: '^[1-9]\\d{0,17}$', examples: ['151980'] },
  });

const balances = {
  tags: ['node'],
  summary: 'Read the balances of an address',
  description:
    'Every denomination with its amount, as a whole number in text. An address that holds nothing has an empty list.',
  operationId: 'getBalances',
  params: z.object({ address }),
  response: { 200: nodeBalances },
};

const account = {
  tags: ['node'],
  summary: 'Read the account of an address',
  description:
    'Its number and its sequence are what a wallet signs with, beside the id of the chain. One that does not exist is a ' +
    '200 with an empty `address` and zeros. The members of a vesting or a module account are all at one level.',
  operationId: 'getAccount',
  params: z.object({ address }),
  response: { 200: nodeAccount },
};

const info = {
  tags: ['node'],
  summary: 'Read the chain id and the versions of a node',
  description: 'A wallet signs for the chain id in `network`.',
  operationId: 'getNodeInfo',
  response: { 200: nodeInfo },
};

const latestBlock = {
  tags: ['node'],
  summary: 'Read the newest block',
  description: 'Its id and its header; its height is the newest that the node has.',
  operationId: 'getLatestBlock',
  response: { 200: nodeBlock },
};

const block = {
  tags: ['node'],
  summary: 'Read a block by its height',
  description: 'One that the node has not, or no longer has, is the problem `node_rejected`.',
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
