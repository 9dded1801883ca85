import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from '#core/problems';
import { explorerLink } from '#cosmos/exchange';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { writeJson } from '#server/replies/write-json';
import { MAX_BROADCAST_BYTES } from './broadcast.ts';
import type { Node } from './node.ts';
import type { NodeSettings } from './settings.ts';

/** The maximum number of a user's concurrent calls of any kind. */
const CALLS_AT_ONCE = 4;

export const NODE_PROBLEMS: ProblemCode[] = [
  'node_rejected',
  'node_not_configured',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

export const NODE_FACTS = { cost: 0, scope: 'node', problems: NODE_PROBLEMS } as const;

const tooManyCalls = () => {
  const detail = `You already have ${CALLS_AT_ONCE} concurrent calls, which is the maximum. Wait until one of these calls has completed.`;
  return new Problem('overloaded', detail, { retryAfter: 1 });
};

export type NodeScope = { node: Node; explorer: NodeSettings['node']['explorer']; call: NodeCall };

type NodeCall = ReturnType<typeof nodeProxy>;

/** Limits each user's concurrent calls. */
export const createCallLimit = () => createConcurrencyLimit<number>(CALLS_AT_ONCE, tooManyCalls);

/** Prepares a scope for node routes. Returns the function in which each route calls the node. */
export function nodeProxy(app: FastifyInstance, bodies: RequestBodies, begin: ReturnType<typeof createCallLimit>) {
  readJsonBodies(app, bodies, { limit: MAX_BROADCAST_BYTES });
  // The node's response was validated when it was parsed.
  app.addHook('preSerialization', async (_request, _reply, answer) => writeJson(answer));
  app.setSerializerCompiler(() => (written) => written);

  /** Counts the call as running until its response has been read. The signal aborts when the client disconnects. */
  return async function call<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    reply.header('cache-control', 'no-store');
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
}

export function linkToExplorer(
  reply: FastifyReply,
  template: string | undefined,
  name: 'hash' | 'address',
  value: string,
): void {
  const target = template && URL.parse(explorerLink(template, name, value));
  if (target) reply.header('link', `<${target.href}>; rel="alternate"; title="explorer"`);
}
