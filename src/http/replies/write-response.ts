import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Representation } from '#services/caching/bodies';

/**
 * Sends a 200 with headers that were prepared for many answers, and a few of its own, in one `writeHead` with a
 * flat array. Measured on one core with a body of 330 bytes: ten headers set with `reply.headers` cost 18% of bare
 * Fastify's throughput, this 13%. The reply is out of Fastify's hands then: its `onSend` hooks do not run, its
 * `onResponse` hooks do.
 */
export function sendSwiftly(
  request: FastifyRequest,
  reply: FastifyReply,
  { payload }: Representation,
  prepared: readonly string[],
  own: readonly string[],
): void {
  reply.hijack();
  reply.raw.writeHead(200, prepared.concat('x-request-id', request.id, own));
  reply.raw.end(payload, 'latin1');
}

/** Whether whoever asked has hung up: what is not delivered is not charged. */
export const isGone = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.writableEnded;

/**
 * Whether a reply has to pass the `onSend` hooks: it bears headers that other parts set (those of CORS), which
 * `sendSwiftly` would lose, or its call is to be given back.
 */
export const mustGoTheLongWay = (reply: FastifyReply): boolean =>
  reply.hasHeader('access-control-allow-origin') || isGone(reply.request.raw);
