import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../domain/clock.ts';
import type { Answer } from '../services/market.ts';
import { cacheStatus } from './cache-status.ts';
import { acceptedCoding } from './content-coding.ts';

const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long past its time a cache may go on with an answer while it asks again, or when we cannot be reached. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;

/** RFC 9110, 13.1.2: compared weakly, any of a list, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

/** Sends an answer with all that a cache wants to know of it, or 304 when the caller has it already. */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  { now, format }: { now: number; format: keyof typeof MEDIA_TYPES },
): Promise<FastifyReply> {
  const { body, modifiedAt, fetchedAt, dueAt, settled, gaps } = answer;
  const { coding, payload, etag } = await body.in(acceptedCoding(request.headers['accept-encoding']));
  const maxAge = Math.max(0, Math.ceil((dueAt - now) / SECOND));
  reply.headers({
    etag,
    vary: 'Accept, Accept-Encoding',
    'last-modified': new Date(modifiedAt).toUTCString(),
    'cache-control': settled
      ? `private, max-age=${YEAR_SECONDS}, immutable`
      : `private, max-age=${maxAge}, ${STALE}`,
    'cache-status': cacheStatus(answer, now),
  });
  if (fetchedAt !== undefined) reply.header('age', Math.max(0, Math.floor((now - fetchedAt) / SECOND)));
  if (gaps.length > 0) reply.header('quotient-gaps', gaps.join(', '));
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.header('content-type', MEDIA_TYPES[format]).send(payload);
}
