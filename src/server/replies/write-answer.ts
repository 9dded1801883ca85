import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsHeaders } from '#server/cross-origin';
import type { Gate, Receipt } from '#server/gate';
import type { Answer, Representation } from '#server/replies/answer-body';
import { type CacheHeaders, type Format, isKnownTo } from './answer-headers.ts';
import { acceptedCoding } from './negotiation.ts';
import type { createResponseWriter } from './response-head.ts';

/** Whether the client has disconnected: an undelivered response is not charged. */
export const isGone = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;

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

export function createAnswerWriter(dependencies: WriterDependencies) {
  const { gate, cacheHeaders, corsHeaders, writeResponse } = dependencies;

  /** Responds with 200, or with a free 304 if the client has the response. */
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
  /** Called with a route's response, so that an identical request can take the fast path. */
  remember: (
    request: IncomingMessage,
    answer: Answer,
    format: Format,
    route: FastifyRequest['routeOptions'],
    cost: number,
  ) => void;
  now: () => number;
};

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

  /** Runs synchronously if the body exists in the accepted coding: the cost of a promise per call was measurable. */
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
