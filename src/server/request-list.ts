import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargedBy, type Gate } from './gate.ts';

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
  const { statusCode: status, elapsedTime: ms } = reply;
  log.note(user, { at: now, keyId, method, path: log.pathOf(url, config), status, code, cost: chargedBy(charged), ms });
}
