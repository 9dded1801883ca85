import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsHeaders } from '#server/cross-origin';
import type { Gate, Receipt } from '#server/gate';
import type { Answer, Representation } from '#server/replies/answer-body';
import { type CacheHeaders, type Format, isKnownTo } from './answer-headers.ts';
import { acceptedCoding } from './negotiation.ts';
import type { createResponseWriter } from './response-head.ts';

/** Whether the caller has hung up: what is not delivered is not charged. */
export const isGone = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;

/** What an answer is written from, beside the request. */
type Reply = {
  answer: Answer;
  representation: Representation;
  format: Format;
  receipt: Receipt | undefined;
  requestId: string;
  now: number;
};

type WriterDependencies = {
  gate: Pick<Gate, 'settle'>;
  cacheHeaders: CacheHeaders;
  corsHeaders: CorsHeaders;
  writeResponse: ReturnType<typeof createResponseWriter>;
};

/** Creates what writes priced answers, those of the fast path and those of the routes. */
export function createAnswerWriter(dependencies: WriterDependencies) {
  const { gate, cacheHeaders, corsHeaders, writeResponse } = dependencies;

  /** Answers 200, or 304 and free of charge where the caller has the answer already. */
  return function write(
    { headers, socket }: IncomingMessage,
    response: ServerResponse,
    { answer, representation, format, receipt, requestId, now }: Reply,
  ): 200 | 304 {
    const { etag, full, unchanged } = cacheHeaders(answer, representation, format, now);
    const status = isKnownTo(headers, answer, etag) ? 304 : 200;
    const shared = status === 200 ? full : unchanged;
    const isPaid = status === 200 && !isGone(socket);
    const own = receipt ? gate.settle(receipt, isPaid, now) : [];
    own.push('x-request-id', requestId);
    const cors = corsHeaders.of(headers.origin);
    if (cors.length > 0) own.push(...cors);
    writeResponse(response, status, shared, own, representation.payload, now);
    return status;
  };
}

export type WriteAnswer = ReturnType<typeof createAnswerWriter>;

type SendDependencies = {
  write: WriteAnswer;
  /** Told of what a route answered, so that the next request in the same words need not reach it. */
  remember: (
    request: IncomingMessage,
    answer: Answer,
    format: Format,
    route: FastifyRequest['routeOptions'],
    cost: number,
  ) => void;
  now: () => number;
};

/** Creates what sends the answer of a priced route. */
export function createSend({ write, remember, now }: SendDependencies) {
  function give(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    representation: Representation,
    format: Format,
  ): void {
    const { receipt, id: requestId } = request;
    if (receipt) remember(request.raw, answer, format, request.routeOptions, receipt.cost);
    reply.hijack();
    write(request.raw, reply.raw, { answer, representation, format, receipt, requestId, now: now() });
  }

  /** At once where the answer is there in the coding that is wanted: a promise for each call was measurable. */
  return function send(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer | Promise<Answer>,
    format: Format = 'json',
  ): void | Promise<void> {
    if (answer instanceof Promise) return answer.then((made) => send(request, reply, made, format));
    const representation = answer.body.in(acceptedCoding(request.headers['accept-encoding']));
    if (representation instanceof Promise)
      return representation.then((made) => give(request, reply, answer, made, format));
    give(request, reply, answer, representation, format);
  };
}

export type Send = ReturnType<typeof createSend>;
