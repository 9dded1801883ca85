import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from '#core/problems';
import { explorerLink } from '#cosmos/exchange';
import type { Node } from './node.ts';
import type { NodeSettings } from './settings.ts';

export type NodeScope = {
  node: Node;
  explorer: NodeSettings['node']['explorer'];
  /** Counts the call as running until its response has been read. The signal aborts when the client disconnects. */
  call<T>(request: FastifyRequest, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

export const NODE_PROBLEMS: ProblemCode[] = [
  'node_rejected',
  'node_not_configured',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

export const NODE_FACTS = { cost: 0, scope: 'node', problems: NODE_PROBLEMS } as const;

export function linkToExplorer(
  reply: FastifyReply,
  template: string | undefined,
  name: 'hash' | 'address',
  value: string,
): void {
  const target = template && URL.parse(explorerLink(template, name, value));
  if (target) reply.header('link', `<${target.href}>; rel="alternate"; title="explorer"`);
}
