import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { explorerLink } from '#domain/cosmos/explorer';
import type { BroadcastRequest, LegacyTransaction } from '#domain/cosmos/legacy-shapes';
import { isInBlock, isTransactionHash } from '#domain/cosmos/transactions';
import { isChainAddress } from '#domain/node/address';
import {
  NODE_EXAMPLES,
  nodeBalances,
  nodeBroadcast,
  nodeSearch,
  nodeTransaction,
} from '#domain/node/records';
import type { RequestBodies } from '#http/connections/request-body';
import { broadcastRequest, MAX_BROADCAST_BYTES } from '#http/pipeline/broadcast-body';
import { createConcurrencyLimit } from '#http/pipeline/concurrency-limit';
import { readJsonBodies } from '#http/pipeline/json-body';
import { writeJson } from '#http/replies/json-write';
import { Problem, type ProblemCode } from '#problems';
import type { Node } from '#services/node/node';
import type { Settings } from '#settings';

const address = z
  .string()
  .refine(isChainAddress, 'is not an address')
  .meta({
    description: 'An address of the chain',
    fix: 'an address in bech32, with its checksum, in lower case',
    wire: { type: 'string', pattern: '^[a-z0-9]{8,90}$', examples: [NODE_EXAMPLES.address] },
  });

const hash = z
  .string()
  .refine(isTransactionHash, 'is not a hash')
  .meta({
    description: 'The hash of a transaction; upper and lower case do not matter',
    fix: '64 hex digits',
    wire: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$', examples: [NODE_EXAMPLES.hash] },
  });

const asked = (description: string, example: string, type = 'string') =>
  z
    .unknown()
    .meta({ description, wire: { type, examples: [type === 'integer' ? Number(example) : example] } });

const balances = {
  tags: ['node'],
  summary: 'The balances of an address',
  operationId: 'getNodeBalances',
  params: z.object({ address }),
  response: { 200: nodeBalances },
};

const search = {
  tags: ['node'],
  summary: 'Search for transactions',
  description:
    'In the words of either interface: events by their attributes, as many as are wanted (`message.sender`, ' +
    '`transfer.recipient` and any other name with a dot), or conditions in `events` or `query`. All must hold. A ' +
    'value has no quotes in it. A page has 100 transactions at most. Whichever of `query` and `events` the node wants ' +
    'is what it gets; a legacy node takes equality and the heights alone. An answer of more than 4 MB is 502 ' +
    '`upstream_invalid`: ask for a smaller `limit`.',
  operationId: 'searchNodeTransactions',
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
    order_by: asked(
      '`ORDER_BY_ASC` or `ORDER_BY_DESC`; a legacy node ignores it',
      'ORDER_BY_DESC',
    ).optional(),
  }),
  response: { 200: nodeSearch },
};

const transaction = {
  tags: ['node'],
  summary: 'One transaction',
  description: 'Once it is in a block it never changes: it is remembered, and the answer is `immutable`.',
  operationId: 'getNodeTransaction',
  params: z.object({ hash }),
  response: { 200: nodeTransaction },
};

const broadcast = {
  tags: ['node'],
  summary: 'Broadcast a signed transaction',
  description:
    'It is sent once: another node is tried only while nothing has gone out. A transaction that the chain refuses is ' +
    'a 200 with its `code` and `raw_log`. `block` goes out as `sync` and is then looked up until it is in a block, for ' +
    'four times UPSTREAM_TIMEOUT_MS at most. Where it went out and what became of it is not known: 504 ' +
    '`upstream_timeout` with `txhash` (but for amino JSON that no node has answered, of which the hash cannot be told). ' +
    'A modern node takes `tx_bytes` alone and a legacy one `tx` alone: else 422 `node_rejected`. The body is read as ' +
    'JSON under `application/json`, `text/plain`, `application/x-www-form-urlencoded` and no Content-Type.',
  operationId: 'broadcastNodeTransaction',
  consumes: ['application/json'],
  body: nodeBroadcast,
  response: { 200: nodeTransaction },
};

const problems: ProblemCode[] = [
  'node_rejected',
  'node_not_configured',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

/** How many calls of a user may be under way at once, whichever of these they are. */
const CALLS_AT_ONCE = 4;

const tooManyCalls = () => {
  const detail = `${CALLS_AT_ONCE} calls of yours are under way, as many as there may be at once: wait for one of them.`;
  return new Problem('overloaded', detail, { retryAfter: 1 });
};

type Options = { node: Node; explorer: Settings['node']['explorer']; bodies: RequestBodies };

/** The query as it came: names may be repeated, and their order is kept. */
const queryOf = ({ url }: FastifyRequest) => {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start))];
};

function link(
  reply: FastifyReply,
  template: string | undefined,
  name: 'hash' | 'address',
  value: string,
): void {
  const target = template && URL.parse(explorerLink(template, name, value));
  if (target) reply.header('link', `<${target.href}>; rel="alternate"; title="explorer"`);
}

const FOR_EVER = 'private, max-age=31536000, immutable';

/** The four calls to the node that there are: nothing that a caller sends can reach another of its paths. */
export const nodeProxy: FastifyPluginAsyncZod<Options> = async (app, { node, explorer, bodies }) => {
  readJsonBodies(app, bodies, MAX_BROADCAST_BYTES);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  // The shapes were checked when the node's answer was read.
  app.addHook('preSerialization', async (_request, _reply, answer) => writeJson(answer));
  app.setSerializerCompiler(() => (written) => written);

  const begin = createConcurrencyLimit<number>(CALLS_AT_ONCE, tooManyCalls);

  /**
   * A call to the node, one of those that its user may have under way: until it is over and its answer has gone out,
   * which is up to how fast the user reads. The signal says that the user is gone.
   */
  async function call<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const end = begin(request.caller.user.key);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    try {
      return await work(gone.signal);
    } finally {
      if (gone.signal.aborted) end();
      else reply.raw.once('close', end);
    }
  }

  const linked = (reply: FastifyReply, found: LegacyTransaction): LegacyTransaction => {
    if (isInBlock(found) || found.code === undefined) link(reply, explorer.transaction, 'hash', found.txhash);
    return found;
  };

  app.get(
    '/bank/balances/:address',
    { schema: balances, config: { cost: 0, problems, rejections: [400, 404], headers: ['Link?'] } },
    async (request, reply) => {
      const { params } = request;
      const found = await call(request, reply, () => node.balances(params.address));
      link(reply, explorer.address, 'address', params.address);
      return found;
    },
  );

  app.get(
    '/txs',
    { schema: search, config: { cost: 0, problems, rejections: [400, 404, 422] } },
    (request, reply) => call(request, reply, () => node.transactions(queryOf(request))),
  );

  app.get(
    '/txs/:hash',
    { schema: transaction, config: { cost: 0, problems, rejections: [400, 404], headers: ['Link?'] } },
    async (request, reply) => {
      const found = await call(request, reply, () => node.transaction(request.params.hash));
      if (isInBlock(found)) reply.header('cache-control', FOR_EVER);
      return linked(reply, found);
    },
  );

  const broadcasting = {
    schema: broadcast,
    config: {
      cost: 0,
      problems: [...problems, 'unsupported_media_type'],
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
