import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowanceHeaders, commitCharge } from '#http/pipeline/guard';
import type { Answer } from '#services/caching/answer';
import type { Representation } from '#services/caching/bodies';
import { type Format, type Freshness, isKnownTo } from './cache-headers.ts';
import type { Door } from './fast-path.ts';
import { acceptedCoding } from './negotiation.ts';
import { mustGoTheLongWay, sendSwiftly } from './write-response.ts';

type Parts = { freshness: Freshness; door: Pick<Door, 'remember'>; now: () => number };

/** How priced answers go out. */
export function createSending({ freshness, door, now }: Parts) {
  function sendRepresentation(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    representation: Representation,
    format: Format,
  ): void {
    const at = now();
    const { fields } = freshness.headersOf(answer, representation, format, at);
    const isKnown = isKnownTo(request.headers['if-none-match'], representation.etag);
    if (!isKnown && !mustGoTheLongWay(reply)) {
      door.remember(request.raw, answer, format, request.routeOptions.url);
      const receipt = commitCharge(request);
      sendSwiftly(request, reply, representation, fields, receipt ? allowanceHeaders(receipt, at) : []);
      return;
    }
    for (let i = 0; i < fields.length; i += 2) reply.header(fields[i] as string, fields[i + 1]);
    if (isKnown) {
      for (const name of ['content-type', 'content-length', 'content-encoding']) reply.removeHeader(name);
      reply.code(304).send();
    } else {
      const { payload } = representation;
      reply.send(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
    }
  }

  /**
   * Sends an answer with all that a cache wants to know of it, or 304 when the caller has it already: at once when
   * the answer is there and in the coding that is wanted, since a promise for each call is felt.
   */
  return function send(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer | Promise<Answer>,
    format: Format = 'json',
  ): void | Promise<void> {
    if (answer instanceof Promise) return answer.then((made) => send(request, reply, made, format));
    const representation = answer.body.in(acceptedCoding(request.headers['accept-encoding']));
    if (representation instanceof Promise) {
      return representation.then((made) => sendRepresentation(request, reply, answer, made, format));
    }
    sendRepresentation(request, reply, answer, representation, format);
  };
}

export type Send = ReturnType<typeof createSending>;
