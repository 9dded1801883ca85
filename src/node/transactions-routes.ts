import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { isInBlock, isTransactionHash } from '#cosmos/transactions';
import { broadcastRequest } from './broadcast.ts';
import { NODE_EXAMPLES, nodeBroadcast, nodeSearch, nodeTransaction } from './node-records.ts';
import { linkToExplorer, NODE_FACTS, NODE_PROBLEMS, type NodeScope, operation } from './node-routes.ts';

export const hash = z
  .string()
  .refine(isTransactionHash, 'must be a transaction hash')
  .meta({
    description: 'The transaction hash (case-insensitive)',
    fix: '64 hex digits',
    wire: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$', examples: [NODE_EXAMPLES.hash] },
  });

const parameter = (description: string, example: string, type = 'string') =>
  z
    .unknown()
    .meta({ description, wire: { type, examples: [type === 'integer' ? Number(example) : example] } })
    .optional();

/** Lists the members that the legacy shapes lack or that modern nodes do not report. */
const MODERN_NODE_LIMITS =
  'If the node supports the modern dialect, the service converts `tx`, `logs`, `raw_log` and `events` to ' +
  'the legacy format. Members that do not exist in the legacy format are omitted: signature modes, signed ' +
  'sequences, extension options, tips, fee events, and the events of failed transactions. Modern nodes do ' +
  'not report `tags`.';

const search = {
  ...operation(
    'searchTransactions',
    'Search for transactions',
    'Accepts the search parameters of both dialects, even if the node supports only one of them. You can ' +
      'send a condition in a parameter with the name of an event attribute, such as `message.sender` or any ' +
      'other name with a dot. You can also send conditions in `events` or `query`. A transaction must match ' +
      'all conditions. Values must not contain quotes. Legacy nodes support only equality and height ranges. A ' +
      "page contains at most 100 transactions. If the node's response is larger than 4 MB, the response is 502 " +
      `\`upstream_invalid\`. In this case, use a smaller \`limit\`. ${MODERN_NODE_LIMITS}`,
  ),
  querystring: z.object({
    'message.sender': parameter('The address of the sender', NODE_EXAMPLES.address),
    'transfer.recipient': parameter('The address of the recipient', NODE_EXAMPLES.address),
    'tx.height': parameter('The block height', '151980', 'integer'),
    'tx.minheight': parameter('The minimum block height', '151980', 'integer'),
    'tx.maxheight': parameter('The maximum block height', '151980', 'integer'),
    events: z
      .unknown()
      .optional()
      .meta({
        description: 'A condition. Repeat this parameter for several conditions.',
        wire: { type: 'array', items: { type: 'string' }, examples: [["message.action='send'"]] },
      }),
    query: parameter('Conditions joined by `AND`', 'tx.height>=151980 AND tx.height<=151990'),
    page: parameter('The page number, starting at 1. Modern alternative: `pagination.offset`.', '1', 'integer'),
    limit: parameter('The page size. Modern alternative: `pagination.limit`.', '30', 'integer'),
    order_by: parameter('`ORDER_BY_ASC` or `ORDER_BY_DESC`. Legacy nodes ignore this parameter.', 'ORDER_BY_DESC'),
  }),
  response: { 200: nodeSearch },
};

const transaction = {
  ...operation(
    'getTransaction',
    'Read a transaction',
    `Responses for transactions in a block are \`immutable\`. ${MODERN_NODE_LIMITS}`,
  ),
  params: z.object({ hash }),
  response: { 200: nodeTransaction },
};

const broadcast = {
  ...operation(
    'broadcastTransaction',
    'Broadcast a signed transaction',
    'Sends the transaction once. The service tries another node only if the transaction has not been sent to ' +
      'a node. If the chain rejects the transaction, the response is 200 with `code` and `raw_log`. In mode ' +
      '`block`, the service sends the transaction as in mode `sync`. It then waits until a block contains the ' +
      'transaction, by default for at most 20 seconds. If the result is unknown, the response is 504 ' +
      '`upstream_timeout` with `txhash`. For amino JSON and a legacy node, the hash cannot be computed, and ' +
      '`txhash` is omitted. For modern nodes, amino JSON in `tx` is encoded with ' +
      '`SIGN_MODE_LEGACY_AMINO_JSON`, also for multisig accounts. The service rejects messages of non-standard ' +
      'modules, and `tx_bytes` for a legacy node, with 422 `node_rejected`. `error` contains the reason. The ' +
      'service parses the body as JSON if the Content-Type is missing, or if it is `application/json`, ' +
      '`text/plain` or `application/x-www-form-urlencoded`.',
  ),
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
    call(request, reply, (by) => node.transactions(queryOf(request), by)),
  );

  app.get(
    '/txs/:hash',
    { schema: transaction, config: { ...NODE_FACTS, rejections: [400, 404], headers: ['Link?'] } },
    async (request, reply) => {
      const found = await call(request, reply, (by) => node.transaction(request.params.hash, by));
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
    return linked(reply, await call(request, reply, (by) => node.broadcast(signed, by)));
  });
};
