import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Representation } from '../services/bodies.ts';

/** Writes a 200: headers that were prepared for many answers, the request's id, and a few of its own. */
export function writeSwiftly(
  response: ServerResponse,
  { payload }: Representation,
  prepared: readonly string[],
  id: string,
  own: readonly string[],
): void {
  response.writeHead(200, prepared.concat('x-request-id', id, own));
  response.end(payload, 'latin1');
}

/**
 * Sends a 200 with headers that were prepared for many answers, and a few of its own, in one `writeHead` with a
 * flat array. Measured on one core with a body of 330 bytes: ten headers set with `reply.headers` cost 18% of bare
 * Fastify's throughput, this 13%. The reply is out of Fastify's hands then: its `onSend` hooks do not run, its
 * `onResponse` hooks do.
 */
export function sendSwiftly(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
  prepared: readonly string[],
  own: readonly string[],
): void {
  reply.hijack();
  writeSwiftly(reply.raw, representation, prepared, request.id, own);
}

/** Whether a reply bears headers that other parts set (those of CORS), which `sendSwiftly` would lose. */
export const mustGoTheLongWay = (reply: FastifyReply): boolean =>
  reply.hasHeader('access-control-allow-origin');
