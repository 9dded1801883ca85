import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { isInBlock, isTransactionHash } from '#cosmos/transactions';
import { broadcastRequest } from './broadcast.ts';
import { NODE_EXAMPLES, nodeBroadcast, nodeSearch, nodeTransaction } from './records.ts';
import { linkToExplorer, NODE_FACTS, NODE_PROBLEMS, type NodeScope } from './routes.ts';

const hash = z
  .string()
  .refine(isTransactionHash, 'is not a transaction hash')
  .meta({
    description: 'The transaction hash (case-insensitive)',
    fix: '64 hex digits',
    wire: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$', examples: [NODE_EXAMPLES.hash] },
  });

const parameter = (description: string, example: string, type = 'string') =>
  z.unknown().meta({ description, wire: { type, examples: [type === 'integer' ? Number(example) : example] } });

/** Lists the members that the legacy shapes lack or that modern nodes do not report. */
const MODERN_NODE_LIMITS =
  'If the node supports the modern dialect, `tx`, `logs`, `raw_log` and `events` are converted from its response. ' +
  'Members that the legacy format cannot represent are omitted: signature modes, signed sequences, extension ' +
  'options, tips, fee events, and the events of failed transactions. Modern nodes do not report `tags`.';

const search = {
  tags: ['node'],
  summary: 'Search for transactions',
  description:
    'Accepts the search parameters of both dialects: event attributes as parameters (`message.sender`, ' +
    '`transfer.recipient`, or any other name with a dot), or conditions in `events` or `query`. A transaction ' +
    'must match all conditions. Values must not contain quotes. A page contains at most 100 transactions. Conditions ' +
    'are sent in the form that the node expects. Legacy nodes support only equality and height ranges. A response larger ' +
    `than 4 MB is rejected with 502 \`upstream_invalid\`: use a smaller \`limit\`. ${MODERN_NODE_LIMITS}`,
  operationId: 'searchTransactions',
  querystring: z.object({
    'message.sender': parameter('The sender address', NODE_EXAMPLES.address).optional(),
    'transfer.recipient': parameter('The recipient address', NODE_EXAMPLES.address).optional(),
    'tx.height': parameter('The block height', '151980', 'integer').optional(),
    'tx.minheight': parameter('The minimum block height', '151980', 'integer').optional(),
    'tx.maxheight': parameter('The maximum block height', '151980', 'integer').optional(),
    events: z
      .unknown()
      .optional()
      .meta({
        description: 'A condition; repeatable',
        wire: { type: 'array', items: { type: 'string' }, examples: [["message.action='send'"]] },
      }),
    query: parameter('Conditions joined by `AND`', 'tx.height>=151980 AND tx.height<=151990').optional(),
    page: parameter('The page number, from 1; alternatively `pagination.offset`', '1', 'integer').optional(),
    limit: parameter('The page size; alternatively `pagination.limit`', '30', 'integer').optional(),
    order_by: parameter('`ORDER_BY_ASC` or `ORDER_BY_DESC`; ignored by legacy nodes', 'ORDER_BY_DESC').optional(),
  }),
  response: { 200: nodeSearch },
};

const transaction = {
  tags: ['node'],
  summary: 'Read a transaction',
  description: `A transaction in a block never changes, so its response is \`immutable\`. ${MODERN_NODE_LIMITS}`,
  operationId: 'getTransaction',
  params: z.object({ hash }),
  response: { 200: nodeTransaction },
};

const broadcast = {
  tags: ['node'],
  summary: 'Broadcast a signed transaction',
  description:
    'The transaction is sent once. Another node is tried only if nothing has been sent. If the chain rejects the ' +
    'transaction, the response is 200 with `code` and `raw_log`. Mode `block` sends it as `sync` and then looks it ' +
    'up until it is in a block, for at most 20 seconds by default. If the outcome is unknown, the response is 504 ' +
    '`upstream_timeout` with `txhash`. `txhash` is omitted for amino JSON sent to a legacy node, because the hash cannot ' +
    'be computed. Amino JSON in `tx` is encoded for modern nodes with `SIGN_MODE_LEGACY_AMINO_JSON`, including multisig ' +
    'accounts. Messages of non-standard modules, and `tx_bytes` sent to a legacy node, are rejected with 422 ' +
    '`node_rejected`; `error` contains the reason. The body is parsed as JSON if Content-Type is `application/json`, ' +
    '`text/plain` or `application/x-www-form-urlencoded`, or if it is absent.',
  operationId: 'broadcastTransaction',
  consumes: ['application/json'],
  body: nodeBroadcast,
  response: { 200: nodeTransaction },
};

/** Preserves repeated names and their order. */
const queryOf = ({ url }: FastifyRequest) => {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start))];
};

const IMMUTABLE = 'private, max-age=31536000, immutable';

export const transactions: FastifyPluginAsyncZod<NodeScope> = async (app, { node, explorer, call }) => {
  const linked = (reply: FastifyReply, found: LegacyTransaction): LegacyTransaction => {
    if (isInBlock(found) || found.code === undefined) linkToExplorer(reply, explorer.transaction, 'hash', found.txhash);
    return found;
  };

  app.get('/txs', { schema: search, config: { ...NODE_FACTS, rejections: [400, 404, 422] } }, (request, reply) =>
    call(request, reply, () => node.transactions(queryOf(request))),
  );

  app.get(
    '/txs/:hash',
    { schema: transaction, config: { ...NODE_FACTS, rejections: [400, 404], headers: ['Link?'] } },
    async (request, reply) => {
      const found = await call(request, reply, () => node.transaction(request.params.hash));
      if (isInBlock(found)) reply.header('cache-control', IMMUTABLE);
      return linked(reply, found);
    },
  );

  const broadcasting = {
    schema: broadcast,
    config: {
      ...NODE_FACTS,
      problems: [...NODE_PROBLEMS, 'unsupported_media_type'],
      rejections: [400, 404, 422],
      headers: ['Link?'],
    },
    validatorCompiler: () => (body: unknown) => ({ value: broadcastRequest(body) }),
  } as const;
  app.post('/txs', broadcasting, async (request, reply) => {
    const signed = request.body as BroadcastRequest;
    return linked(reply, await call(request, reply, (signal) => node.broadcast(signed, signal)));
  });
};
