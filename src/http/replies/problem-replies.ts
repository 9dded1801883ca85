import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskApiKeys } from '../domain/api-key.ts';
import { Problem } from '../problems.ts';
import { isDatabaseAway } from './database-away.ts';
import { bodyTooLarge, checkRequest } from './request-limits.ts';
import type { RequestTally } from './request-tally.ts';

const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

function bodyOf(problem: Problem, basePath: string, requestId: string): string {
  const { code, title, status, message, members } = problem;
  const type = `${basePath}/docs/problems#${code}`;
  return maskApiKeys(JSON.stringify({ type, title, status, detail: message, code, requestId, ...members }));
}

/** What Fastify and Node throw before a handler is reached, in the contract's words. */
const FRAMEWORK: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('invalid_request', 'The body is not as long as Content-Length says.'),
  FST_ERR_BAD_URL: () =>
    new Problem('invalid_request', 'The path is not valid percent-encoding: encode it in UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('uri_too_long', 'A part of the path is too long.'),
};

/** Whatever was thrown, as a problem; what it does not know is an `internal_error` that tells nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode = 500 } = error as FastifyError;
  const known = FRAMEWORK[code];
  if (known) return known();
  if (code?.startsWith('FST_') && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The request cannot be read.', { cause: error });
  }
  if (isDatabaseAway(error)) {
    return new Problem('database_unavailable', 'The database cannot be reached.', {
      cause: error,
      retryAfter: 5,
    });
  }
  return new Problem('internal_error', 'An unexpected fault; the request id finds it in our log.', {
    cause: error,
  });
}

/** A fault of ours is logged whole; one of an upstream or of the database by its kind: who fetched it logs the rest. */
function logFailure({ log, id }: FastifyRequest, { code, message, cause }: Problem): void {
  if (code === 'internal_error') log.error({ err: cause, code, reqId: id }, message);
  else log.warn({ code, reqId: id, reason: (cause as { reason?: string } | undefined)?.reason }, message);
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  basePath: string,
): FastifyReply {
  if (problem.status >= 500) logFailure(request, problem);
  for (const name of Object.keys(reply.getHeaders())) {
    if (/^(content-|etag$|last-modified$|age$|cache-|quotient-)/.test(name)) reply.removeHeader(name);
  }
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('cache-control', 'no-store')
    .header('content-type', MEDIA_TYPE)
    .send(bodyOf(problem, basePath, request.id));
}

/** Makes every error of an app a problem, and tells an unknown path from a method that is not allowed. */
export function replyWithProblems(app: FastifyInstance, basePath: string): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    // A preflight is answered on any path: that makes none known.
    if (url === '*') return;
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });

  function allowed(path: string): string[] {
    for (const [url, known] of methods) {
      const pattern = url
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/:[A-Za-z]+/g, '[^/]+')
        .replaceAll('\\*', '.*');
      if (new RegExp(`^${pattern}$`).test(path)) return [...known];
    }
    return [];
  }

  app.setErrorHandler((error, request, reply) => send(request, reply, toProblem(error), basePath));
  app.setNotFoundHandler((request, reply) => {
    const known = allowed(request.url.split('?', 1)[0] as string);
    const allow = known.join(', ');
    // A pattern may take the path and the method, and its handler still find nothing there.
    const isOtherMethod = known.length > 0 && !known.includes(request.method);
    const problem = isOtherMethod
      ? new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
      : new Problem('not_found', `No such path: ${basePath}/docs lists those there are.`);
    return send(request, reply, problem, basePath);
  });
}

/** Answers a path that the router cannot make out: Fastify's `frameworkErrors`, which runs no hook. */
export function answerUnroutable(basePath: string, requests?: RequestTally) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id);
    try {
      checkRequest(request);
      send(request, reply, toProblem(error), basePath);
    } catch (problem) {
      send(request, reply, toProblem(problem), basePath);
    }
    requests?.observe(undefined, request.method, reply.statusCode, 0);
  };
}

/** Answers what is not HTTP enough to become a request. */
export function answerBrokenRequest(basePath: string, makeId: () => string, requests?: RequestTally) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error);
      return;
    }
    const problem =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? new Problem('headers_too_large', 'The request line and header fields are too large.')
        : new Problem('invalid_request', 'The bytes received are not an HTTP/1.1 request.');
    requests?.observe(undefined, 'other', problem.status, 0);
    const id = makeId();
    const body = bodyOf(problem, basePath, id);
    const status = problem.status === 431 ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: ${MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}
