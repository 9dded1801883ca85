import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '#core/clock';
import { factsOf, type LogResponse, type RequestFacts } from './access-log.ts';
import type { EndedRequest, Gate } from './gate.ts';
import { type Histogram, observe, type RequestHistograms } from './request-metrics.ts';
import { traceResponse } from './request-trace.ts';

/** The status in the request log of a user if the client disconnected before the response, as in nginx. */
const CLIENT_GONE = 499;

/** A request after its response, for metrics, the trace, the request log of its user, and the log. */
export type FinishedRequest = RequestFacts &
  EndedRequest & {
    countedAs?: string | undefined;
    histogram?: Histogram | undefined;
    /** When the request arrived, in monotonic ms. Undefined if the request already has a span. */
    arrivedAt?: number;
  };

type Dependencies = {
  gate: Pick<Gate, 'costOfRequest' | 'requestLog'>;
  requests?: RequestHistograms | undefined;
  log?: LogResponse | undefined;
  now: () => number;
};

export function createFinish({ gate, requests, log, now }: Dependencies) {
  const { requestLog } = gate;

  function finish(request: FinishedRequest): void {
    const { countedAs, histogram, method, route, status, ms, raw, arrivedAt } = request;
    if (histogram !== undefined) observe(histogram, ms / SECOND);
    else requests?.observe(countedAs ?? route, method, status, ms / SECOND);
    if (arrivedAt !== undefined) traceResponse(raw, route, status, arrivedAt, arrivedAt + ms);
    requestLog?.note(request);
    // A fault of the service has already been logged in its own line.
    if (status !== 500) log?.(request);
  }

  function finishedOf(request: FastifyRequest, reply: FastifyReply): FinishedRequest {
    const { keyId, raw, problem: code, problemDetail: detail, routeOptions } = request;
    const { config } = routeOptions;
    const isSent = reply.raw.writableEnded;
    return {
      ...factsOf(request, reply, isSent ? reply.statusCode : CLIENT_GONE),
      countedAs: request.is404 ? undefined : config.countedAs,
      at: now(),
      code,
      detail,
      cost: isSent ? gate.costOfRequest(request) : 0,
      keyId,
      raw,
      config,
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
          if (!raw.writableFinished) requestLog.note(finishedOf(request, reply));
        };
        if (raw.closed) listIfUndelivered();
        else raw.once('close', listIfUndelivered);
        done();
      });
    },
  };
}

export type RequestEnds = ReturnType<typeof createFinish>;
