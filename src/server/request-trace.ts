import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Problem } from '#core/problems';
import { activeSpan, annotate, currentTracer, markFailed, runInSpan } from '#core/tracing';

/** Version 00 of W3C Trace Context. `tracestate` is ignored, because it would be exported and may contain any text. */
const TRACEPARENT = /^00-(?!0+-)([\da-f]{32})-(?!0+-)([\da-f]{16})-([\da-f]{2})$/;

function parentOf({ headers: { traceparent } }: Pick<IncomingMessage, 'headers'>) {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Records the requests that the framework handles. Without tracing, returns the framework's own listener. */
export function traceRequests(framework: RequestListener): RequestListener {
  const tracer = currentTracer();
  if (tracer === undefined) return framework;
  return (request, response) => {
    const { method = '' } = request;
    const parent = parentOf(request);
    if (!tracer.isSampled(parent)) return runInSpan(null, framework, request, response);
    const span = tracer.start(method, 'server', { 'http.request.method': method }, parent);
    response.once('close', () => {
      const { statusCode, headersSent } = response;
      if (headersSent) span.setAttributes({ 'http.response.status_code': statusCode });
      if (!response.writableFinished) markFailed(span, 'disconnected');
      else if (statusCode >= 500) markFailed(span);
      span.end();
    });
    runInSpan(span, framework, request, response);
  };
}

export function traceRoutes(app: FastifyInstance): void {
  if (currentTracer() === undefined) return;
  app.addHook('onRequest', ({ is404, method, routeOptions: { url } }, _reply, done) => {
    const span = activeSpan();
    if (span && url !== undefined && !is404) {
      span.updateName(`${method} ${url}`);
      span.setAttributes({ 'http.route': url, 'url.path': url });
    }
    done();
  });
}

/** Sets the name of the passed-on call, under which metrics, the trace and the request log show a request. */
export function nameCall(request: FastifyRequest, name: string): void {
  request.passedCall = name;
  const span = activeSpan();
  span?.updateName(`${request.method} ${name}`);
  span?.setAttributes({ 'http.route': name, 'url.path': name });
}

export const traceProblem = ({ code, status }: Problem): void =>
  annotate({ 'quotient.problem': code, ...(status >= 500 && { 'error.type': code }) });

/** Records a response of the fast path, during which no other span starts. Instants are in monotonic ms. */
export function traceResponse(
  request: Pick<IncomingMessage, 'headers'>,
  route: string | undefined,
  status: number,
  from: number,
  to: number,
): void {
  const tracer = currentTracer();
  const parent = tracer && parentOf(request);
  if (!tracer?.isSampled(parent)) return;
  const span = tracer.start(`GET ${route}`, 'server', { 'http.request.method': 'GET' }, parent, from);
  span.setAttributes({ 'http.route': route, 'url.path': route, 'http.response.status_code': status });
  span.end(to);
}
