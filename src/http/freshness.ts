import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../domain/clock.ts';
import type { Answer } from '../services/answer.ts';
import type { Representation } from '../services/bodies.ts';
import { cacheStatus } from './cache-status.ts';
import { acceptedCoding } from './content-coding.ts';
import { allowanceHeaders, payFor } from './guard.ts';
import { mustGoTheLongWay, sendSwiftly } from './swift-reply.ts';

/** A price is asked for again after so many seconds, however long its turn is: a budget may be raised. */
const LONGEST_SECONDS = 60 * 60;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** How long past its time a cache may go on with an answer while it asks again, or when we cannot be reached. */
const STALE = 'stale-while-revalidate=60, stale-if-error=86400';

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
type Format = keyof typeof MEDIA_TYPES;

/** RFC 9110, 13.1.2: compared weakly, any of a list, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

/** What a cache wants to know of an answer, as a flat list of names and values. */
function headersOf(
  answer: Answer,
  { coding, payload, etag }: Representation,
  format: Format,
  now: number,
): string[] {
  const { modifiedAt, fetchedAt, dueAt, settled, gaps } = answer;
  const maxAge = Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil((dueAt - now) / SECOND)));
  const policy = settled
    ? `private, max-age=${YEAR_SECONDS}, immutable`
    : `private, max-age=${maxAge}, ${STALE}`;
  const headers = ['etag', etag, 'vary', 'Accept, Accept-Encoding'];
  headers.push('last-modified', new Date(modifiedAt).toUTCString(), 'cache-control', policy);
  headers.push('cache-status', cacheStatus(answer, now));
  if (fetchedAt !== undefined)
    headers.push('age', String(Math.max(0, Math.floor((now - fetchedAt) / SECOND))));
  if (gaps.length > 0) headers.push('quotient-gaps', gaps.join(', '));
  if (coding !== 'identity') headers.push('content-encoding', coding);
  headers.push('content-type', MEDIA_TYPES[format], 'content-length', String(payload.length));
  return headers;
}

type Prepared = { answer: Answer; second: number; headers: string[] };
/** The headers of each representation, as they were last sent: they say the same until the second is over. */
const prepared = new WeakMap<Representation, Prepared>();

function preparedHeaders(
  answer: Answer,
  representation: Representation,
  format: Format,
  now: number,
): string[] {
  const second = Math.floor(now / SECOND);
  const known = prepared.get(representation);
  if (known && known.answer === answer && known.second === second) return known.headers;
  const headers = headersOf(answer, representation, format, now);
  prepared.set(representation, { answer, second, headers });
  return headers;
}

type Told = { now: number; format: Format };

/**
 * Sends an answer with all that a cache wants to know of it, or 304 when the caller has it already: at once when the
 * answer is there and in the coding that is wanted, since a promise for each call is felt.
 */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | Promise<Answer>,
  told: Told,
): void | Promise<void> {
  if (answer instanceof Promise) return answer.then((made) => sendAnswer(request, reply, made, told));
  const representation = answer.body.in(acceptedCoding(request.headers['accept-encoding']));
  if (representation instanceof Promise) {
    return representation.then((made) => sendRepresentation(request, reply, answer, made, told));
  }
  sendRepresentation(request, reply, answer, representation, told);
}

function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  representation: Representation,
  { now, format }: Told,
): void {
  const headers = preparedHeaders(answer, representation, format, now);
  const isKnown = matches(request.headers['if-none-match'], representation.etag);
  if (!isKnown && !mustGoTheLongWay(reply)) {
    const receipt = payFor(request);
    sendSwiftly(request, reply, representation, headers, receipt ? allowanceHeaders(receipt, now) : []);
    return;
  }
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
  if (isKnown) {
    for (const name of ['content-type', 'content-length', 'content-encoding']) reply.removeHeader(name);
    reply.code(304).send();
  } else {
    const { payload } = representation;
    reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
  }
}
