import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargedBy, type Gate } from './gate.ts';

/** The status in the list of a request whose client disconnected before the response, as in nginx. */
const CLIENT_GONE = 499;

/** Lists a response in the request log of its user. `now` is in Unix ms. */
export function listResponse(
  log: NonNullable<Gate['requestLog']>,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): void {
  const { keyId, user, method, url, problem: code, charged } = request;
  const { config } = request.routeOptions;
  if (keyId === undefined || config.isUnlisted) return;
  const { statusCode, elapsedTime: ms, raw } = reply;
  const [status, cost] = raw.writableEnded ? [statusCode, chargedBy(charged)] : [CLIENT_GONE, 0];
  log.note(user, { at: now, keyId, method, path: log.pathOf(url, config), status, code, cost, ms });
}
