import type { FastifyPluginAsync } from 'fastify';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { writeJson } from '#server/replies/write-json';
import { neverStored } from '#server/replies/static-content';
import { MAX_BROADCAST_BYTES } from './broadcast.ts';
import { accountsAndBlocks } from './routes-accounts-and-blocks.ts';
import type { NodeScope } from './routes-node-call.ts';
import { transactions } from './routes-transactions.ts';

/** The maximum number of a user's concurrent calls of any kind. */
const CALLS_AT_ONCE = 4;

const tooManyCalls = () => {
  const detail = `You have ${CALLS_AT_ONCE} concurrent calls, which is the maximum. Wait for one of them to finish.`;
  return new Problem('overloaded', detail, { retryAfter: 1 });
};

type Options = Omit<NodeScope, 'call'> & { bodies: RequestBodies };

/** Clients can reach only these paths of a node. */
export const nodeProxy: FastifyPluginAsync<Options> = async (app, { node, explorer, bodies }) => {
  readJsonBodies(app, bodies, { limit: MAX_BROADCAST_BYTES });
  neverStored(app);
  // The shapes were checked when the node's response was parsed.
  app.addHook('preSerialization', async (_request, _reply, answer) => writeJson(answer));
  app.setSerializerCompiler(() => (written) => written);

  const begin = createConcurrencyLimit<number>(CALLS_AT_ONCE, tooManyCalls);

  const call: NodeScope['call'] = async (request, reply, work) => {
    const end = begin(request.user);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    try {
      return await work(gone.signal);
    } finally {
      if (gone.signal.aborted) end();
      else reply.raw.once('close', end);
    }
  };

  app.register(accountsAndBlocks, { node, explorer, call });
  app.register(transactions, { node, explorer, call });
};
