import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { isInBlock, isTransactionHash } from '#cosmos/transactions';
import { broadcastRequest } from './broadcast.ts';
import { NODE_EXAMPLES, nodeBroadcast, nodeSearch, nodeTransaction } from './records.ts';
import { linkToExplorer, NODE_FACTS, NODE_PROBLEMS, type NodeScope } from './routes-node-call.ts';

const hash = z
  .string()
  .refine(isTransactionHash, 'is not a hash')
  .meta({
    description: 'The hash of a transaction; upper and lower case do not matter',
    fix: '64 hex digits',
    wire: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$', examples: [NODE_EXAMPLES.hash] },
  });

const asked = (description: string, example: string, type = 'string') =>
  z.unknown().meta({ description, wire: { type, examples: [type === 'integer' ? Number(example) : example] } });

/** Members that the legacy shapes do not have or modern nodes do not report. */
const NOT_TOLD =
  'Of a modern node `tx`, `logs`, `raw_log` and `events` are made of what it tells. It no longer tells `tags`; the ' +
  'legacy shapes have no place for the mode of a signature and the sequence that was signed, for extension options and ' +
  'tips, nor for the events of fees, and of a transaction that failed: these are left out.';

const search = {
  tags: ['node'],
  summary: 'Search for transactions',
  description:
    'In the words of either interface: events by their attributes, as many as are wanted (`message.sender`, ' +
    '`transfer.recipient` and any other name with a dot), or conditions in `events` or `query`. All must hold. A ' +
    'value has no quotes in it. A page has 100 transactions at most. Whichever of `query` and `events` the node wants ' +
    'is what it gets; a legacy node takes equality and the heights alone. An answer of more than 4 MB is 502 ' +
    `\`upstream_invalid\`: ask for a smaller \`limit\`. ${NOT_TOLD}`,
  operationId: 'searchTransactions',
  querystring: z.object({
    'message.sender': asked('Who sent it', NODE_EXAMPLES.address).optional(),
    'transfer.recipient': asked('Who received coins by it', NODE_EXAMPLES.address).optional(),
    'tx.height': asked('The block it is in', '151980', 'integer').optional(),
    'tx.minheight': asked('That block or later', '151980', 'integer').optional(),
    'tx.maxheight': asked('That block or earlier', '151980', 'integer').optional(),
    events: z
      .unknown()
      .optional()
      .meta({
        description: 'A condition; may be given more than once',
        wire: { type: 'array', items: { type: 'string' }, examples: [["message.action='send'"]] },
      }),
    query: asked('Conditions, joined by AND', 'tx.height>=151980 AND tx.height<=151990').optional(),
    page: asked('The page, from 1; `pagination.offset` may take its place', '1', 'integer').optional(),
    limit: asked('The most on a page; `pagination.limit` may take its place', '30', 'integer').optional(),
    order_by: asked('`ORDER_BY_ASC` or `ORDER_BY_DESC`; a legacy node ignores it', 'ORDER_BY_DESC').optional(),
  }),
  response: { 200: nodeSearch },
};

const transaction = {
  tags: ['node'],
  summary: 'Read a transaction',
  description: `Once it is in a block it never changes: it is remembered, and the answer is \`immutable\`. ${NOT_TOLD}`,
  operationId: 'getTransaction',
  params: z.object({ hash }),
  response: { 200: nodeTransaction },
};

const broadcast = {
  tags: ['node'],
  summary: 'Broadcast a signed transaction',
  description:
    'It is sent once: another node is tried only while nothing has gone out. A transaction that the chain refuses is ' +
    'a 200 with its `code` and `raw_log`. `block` goes out as `sync` and is then looked up until it is in a block, for ' +
    '20 seconds at most, unless the operator has set another time. Where it went out and what became of it is not known: 504 ' +
    '`upstream_timeout` with `txhash` (but for amino JSON that went to a legacy node, of which the hash cannot be told). ' +
    'Amino JSON in `tx` is encoded for a modern node, signed as `SIGN_MODE_LEGACY_AMINO_JSON`, multisig accounts ' +
    'included; a message that is not of the standard modules, and `tx_bytes` for a legacy node, are 422 `node_rejected` ' +
    'with what is wrong in `error`. The body is read as ' +
    'JSON under `application/json`, `text/plain`, `application/x-www-form-urlencoded` and no Content-Type.',
  operationId: 'broadcastTransaction',
  consumes: ['application/json'],
  body: nodeBroadcast,
  response: { 200: nodeTransaction },
};

/** Keeps repeated names and their order. */
const queryOf = ({ url }: FastifyRequest) => {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start))];
};

const FOR_EVER = 'private, max-age=31536000, immutable';

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
      if (isInBlock(found)) reply.header('cache-control', FOR_EVER);
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
    const asked = request.body as BroadcastRequest;
    return linked(reply, await call(request, reply, (signal) => node.broadcast(asked, signal)));
  });
};
