import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from '#core/problems';
import { explorerLink } from '#cosmos/exchange';
import type { Node } from './node.ts';
import type { NodeSettings } from './settings.ts';

/** What the routes of the node share. */
export type NodeScope = {
  node: Node;
  explorer: NodeSettings['node']['explorer'];
  /**
   * A call to the node, one of those that its user may have under way: until it is over and its answer has gone out,
   * which is up to how fast the user reads. The signal says that the user is gone.
   */
  call<T>(request: FastifyRequest, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

/** What any call to the node may meet. */
export const NODE_PROBLEMS: ProblemCode[] = [
  'node_rejected',
  'node_not_configured',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

/** What is so of any call to the node. */
export const NODE_FACTS = { cost: 0, scope: 'node', problems: NODE_PROBLEMS } as const;

/** Adds the link to the page of an explorer, where the operator has named one. */
export function linkToExplorer(
  reply: FastifyReply,
  template: string | undefined,
  name: 'hash' | 'address',
  value: string,
): void {
  const target = template && URL.parse(explorerLink(template, name, value));
  if (target) reply.header('link', `<${target.href}>; rel="alternate"; title="explorer"`);
}
