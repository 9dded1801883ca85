import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyServerOptions, LogController } from 'fastify';
import { SECOND } from '#core/clock';
import { traceRequests } from '#server/request-trace';
import { limitUnread } from './lingering.ts';
import type { RequestBodies, Timeouts } from './request-body.ts';
import { hasBody, requestId } from './request-head.ts';

/** The maximum number of connections of a process, because partial heads use memory. */
const MAX_CONNECTIONS = 8_000;
/** In bytes. Higher than the service's own limit, so that the service writes the rejection. */
const NODE_HEADER_LIMIT = 32 * 1024;
export const KEEP_ALIVE = 72 * SECOND;

/** How many requests on a connection may wait for earlier responses. */
const WAITING = 32;

/** A connection's parser. Node does not document it, so its shape is checked. */
type Parsed = { parser?: { onIncoming?: () => number } | null };

/** Stops the parser, which otherwise processes a request per 27 bytes. Result 2 means that another protocol follows. */
function cut(socket: Socket): void {
  const { parser } = socket as Socket & Parsed;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  socket.destroy();
}

/** Starts each request in its own turn of the event loop (RFC 9112, 9.3.2), so that pipelining gives no advantage. */
export function createPipelines() {
  const waiting = new WeakMap<Socket, number>();

  return function inTurn(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    // Node assigns the connection to the response whose turn it is.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    if (before >= WAITING) {
      cut(socket);
      return;
    }
    waiting.set(socket, before + 1);
    const begin = () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (!socket.destroyed) handle(request, response);
    };
    response.once('socket', () => setImmediate(begin));
  };
}

/** Tracks unfinished responses by connection. A connection sends its responses in the order of their requests. */
export function createPendingResponses() {
  const pending = new Map<Socket, Set<ServerResponse>>();
  const last = new WeakMap<Socket, () => void>();

  function responsesOn(socket: Socket): Set<ServerResponse> {
    const known = pending.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    pending.set(socket, responses);
    socket.once('close', () => pending.delete(socket));
    return responses;
  }

  return {
    /** Call this for every request after it was served or passed to the framework. */
    track({ socket }: IncomingMessage, response: ServerResponse): void {
      // An ended response has been passed to the connection, unless it waits for an earlier response. It is not
      // tracked: keeping responses until the next one on their connection tripled the garbage collection pauses.
      if (response.writableEnded && response.socket !== null) return;
      const responses = responsesOn(socket);
      responses.add(response);
      response.once('close', () => {
        responses.delete(response);
        if (responses.size === 0) last.get(socket)?.();
      });
    },

    *all(): Iterable<ServerResponse> {
      for (const responses of pending.values()) yield* responses;
    },

    /** Runs `act` as soon as no response is pending on a connection. */
    whenDone(socket: Socket, act: () => void): void {
      if ((pending.get(socket)?.size ?? 0) === 0) act();
      else last.set(socket, act);
    },
  };
}

export type PendingResponses = ReturnType<typeof createPendingResponses>;

export const REQUEST_OPTIONS = {
  genReqId: requestId,
  requestIdHeader: false,
  // All requests share one logger. A child logger per request takes time, and most requests log nothing.
  childLoggerFactory: (parent) => parent,
  logController: new LogController({ disableRequestLogging: true }),
} satisfies FastifyServerOptions;

type Dependencies = {
  timeouts: Timeouts;
  bodies: RequestBodies;
  pending: PendingResponses;
  /** Responds to a bodyless request before it reaches the framework, or returns false. */
  fastPath: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export function createHttpServer({ timeouts, bodies, pending, fastPath }: Dependencies) {
  const options = {
    maxHeaderSize: NODE_HEADER_LIMIT,
    // Ending a bodyless request together with its head saves a tenth of a call's time (measured).
    optimizeEmptyRequests: true,
    // The service itself rejects requests without a `Host`, with a problem.
    requireHostHeader: false,
    headersTimeout: timeouts.head,
    connectionsCheckingInterval: Math.min(timeouts.head, SECOND),
    keepAliveTimeout: KEEP_ALIVE,
    // Bodies have their own time limits.
    requestTimeout: 0,
  };
  const inTurn = createPipelines();

  /** @param listener handles the requests that the fast path does not serve */
  return function open(listener: RequestListener): Server {
    const framework = traceRequests(listener);
    const handle: RequestListener = (request, response) => {
      if (!fastPath(request, response)) framework(request, response);
    };
    const handleWithBody: RequestListener = (request, response) => bodies.begin(() => framework(request, response));
    const take: RequestListener = (request, response) => {
      if (hasBody(request)) {
        bodies.expect(request, response);
        inTurn(request, response, handleWithBody);
      } else inTurn(request, response, handle);
      pending.track(request, response);
    };
    const server = createServer(options, take);
    server.maxConnections = MAX_CONNECTIONS;
    limitUnread(server);
    // 100 Continue is sent when a handler waits for the body (RFC 9110, 10.1.1).
    server.on('checkContinue', (request, response) => {
      if (!hasBody(request)) response.writeContinue();
      take(request, response);
    });
    // Node would respond to an unknown `Expect` with 417. RFC 9110 also allows servers to ignore the header.
    server.on('checkExpectation', take);
    return server;
  };
}
