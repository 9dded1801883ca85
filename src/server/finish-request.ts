import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '#core/clock';
import type { Gate, ListedRequest } from './gate.ts';
import { factsOf, type LogResponse, type RequestFacts, routeOf } from './request-log.ts';
import { type Histogram, observe, type RequestHistograms } from './request-metrics.ts';
import { traceResponse } from './request-trace.ts';

/** The status in the request log of a user if the client disconnected before the response, as in nginx. */
const CLIENT_GONE = 499;

/** Whether the console sent a request for itself. The user's request log does not list it. */
export const isOfConsole = (headers: IncomingHttpHeaders): boolean => headers['quotient-console'] !== undefined;

/** A request after its response, for metrics, the trace, the request log of its user, and the log. */
export type FinishedRequest = RequestFacts &
  Omit<ListedRequest, 'keyId'> & {
    countedAs?: string | undefined;
    histogram?: Histogram | undefined;
    /** The request, if it has no span yet, and when it arrived, in monotonic ms. */
    untraced?: IncomingMessage;
    arrivedAt?: number;
    user: number | undefined;
    /** Undefined for a request that no user's log lists. */
    keyId: number | undefined;
  };

type Dependencies = {
  gate: Pick<Gate, 'costOfRequest' | 'requestLog'>;
  requests?: RequestHistograms | undefined;
  log?: LogResponse | undefined;
  now: () => number;
};

export function createFinish({ gate, requests, log, now }: Dependencies) {
  const { requestLog } = gate;

  function list(request: FinishedRequest): void {
    const { user, keyId } = request;
    if (user !== undefined && keyId !== undefined) requestLog?.note(user, request as ListedRequest);
  }

  function finish(request: FinishedRequest): void {
    const { countedAs, histogram, method, route, status, ms, untraced, arrivedAt = 0 } = request;
    if (histogram !== undefined) observe(histogram, ms / SECOND);
    else requests?.observe(countedAs ?? route, method, status, ms / SECOND);
    if (untraced !== undefined) traceResponse(untraced, route, status, arrivedAt, arrivedAt + ms);
    list(request);
    // A fault of the service has already been logged in its own line.
    if (status !== 500) log?.(request);
  }

  function finishedOf(request: FastifyRequest, reply: FastifyReply): FinishedRequest {
    const { keyId, user, url, headers, problem: code, problemDetail: detail, routeOptions } = request;
    const { config } = routeOptions;
    const isSent = reply.raw.writableEnded;
    const isListed = requestLog !== undefined && keyId !== undefined && !config.isUnlisted && !isOfConsole(headers);
    return {
      ...factsOf(request, reply, isSent ? reply.statusCode : CLIENT_GONE),
      countedAs: request.is404 ? undefined : config.countedAs,
      at: now(),
      path: isListed ? requestLog.pathOf((config.passesCalls && routeOf(request)) || url, config) : '',
      code,
      detail,
      cost: isSent && isListed ? gate.costOfRequest(request) : 0,
      user,
      keyId: isListed ? keyId : undefined,
    };
  }

  return {
    finish,

    /** Records the requests that the framework handles. Their spans end with their responses. */
    listen(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        finish(finishedOf(request, reply));
        done();
      });
    },

    /** If no response is delivered, `onResponse` does not run, although the request may have changed something. */
    listUndelivered(app: FastifyInstance): void {
      if (requestLog === undefined) return;
      app.addHook('onRequest', (request, reply, done) => {
        const { raw } = reply;
        const listIfUndelivered = () => {
          if (!raw.writableFinished) list(finishedOf(request, reply));
        };
        if (raw.closed) listIfUndelivered();
        else raw.once('close', listIfUndelivered);
        done();
      });
    },
  };
}

export type RequestEnds = ReturnType<typeof createFinish>;
