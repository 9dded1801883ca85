import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from '#core/problems';
import { explorerLink } from '#cosmos/exchange';
import { disconnectionOf } from '#server/connections/disconnection';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import type { ReportProblem } from '#server/responses/problem-responses';
import { writeJson } from '#server/responses/write-json';
import type { SendBytes } from '#server/responses/write-response';
import type { CallPlaces } from './call-places.ts';
import type { Node } from './node.ts';
import type { NodeSettings } from './node-settings.ts';
import type { NodeCaller } from './pool.ts';

export const NODE_PROBLEMS: ProblemCode[] = [
  'node_rejected',
  'node_not_configured',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

/** The description of an operation. */
export const operation = (operationId: string, summary: string, description: string) => ({
  tags: ['node'],
  summary,
  description,
  operationId,
});

export const NODE_FACTS = { cost: 0, scope: 'node', problems: NODE_PROBLEMS } as const;

export type NodeScope = { node: Node; explorer: NodeSettings['node']['explorer']; call: NodeCall };

type NodeCall = ReturnType<typeof createNodeCall>;
type RequestCaller = Required<NodeCaller> & { user: number; signal: AbortSignal };

/** Prepares a scope for routes that convert the node's responses. */
export function convertResponses(app: FastifyInstance, bodies: RequestBodies, limit: number): void {
  readJsonBodies(app, bodies, { limit });
  // The node's response was validated when it was parsed.
  app.addHook('preSerialization', async (_request, _reply, response) => writeJson(response));
  app.setSerializerCompiler(() => (written) => written);
}

/** The caller of a request. The signal aborts when the client disconnects. `onClose` runs after the response. */
export function callerOf(request: FastifyRequest, reply: FastifyReply, onClose?: () => void): RequestCaller {
  const signal = disconnectionOf(reply);
  if (onClose) reply.raw.once('close', onClose);
  return { user: request.user, signal };
}

/** Returns the function in which each route calls the node: the call takes a place until its response has been read. */
export function createNodeCall({ begin }: Pick<CallPlaces, 'begin'>) {
  return async function call<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (by: RequestCaller) => Promise<T>,
  ): Promise<T> {
    reply.header('cache-control', 'no-store');
    const end = begin(request.user);
    let isRunning = true;
    const by = callerOf(request, reply, () => {
      if (!isRunning) end();
    });
    try {
      return await work(by);
    } finally {
      isRunning = false;
      if (by.signal.aborted) end();
    }
  };
}

export type PassScope = {
  bodies: RequestBodies;
  report: ReportProblem;
  sendBytes: SendBytes;
  maxBodyBytes: number;
  call: NodeCall;
};

/** Reads the bodies of requests that are passed on, with any media type. */
export function readRawBodies(
  app: FastifyInstance,
  { bodies, maxBodyBytes }: Pick<PassScope, 'bodies' | 'maxBodyBytes'>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest) => bodies.read(request.raw, request.user, maxBodyBytes));
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
