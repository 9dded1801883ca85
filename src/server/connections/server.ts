import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyServerOptions, LogController } from 'fastify';
import { SECOND } from '#core/clock';
import type { ClientNames } from '#server/client-address';
import { traceRequests } from '#server/request-trace';
import { limitConnections } from './connection-limit.ts';
import type { Linger } from './lingering.ts';
import { createRepeatedRequests } from './repeated-requests.ts';
import type { RequestBodies, Timeouts } from './request-body.ts';
import { hasBody, type RequestHead, requestId } from './request-head.ts';
import { KEEP_ALIVE, watchConnections } from './watch-connections.ts';

/** The maximum number of connections of a process, because partial heads use memory. */
const MAX_CONNECTIONS = 8_000;
/** Node's own limit in bytes. It is higher than the service's limit, so that the service writes the rejection. */
const NODE_HEADER_LIMIT = 32 * 1024;

/** How many requests may wait for earlier responses on a connection, and how many more on all together. */
const WAITING = { each: 32, more: 2_048 };

/** A connection's parser. Node does not document it, so its shape is checked. */
type Parsed = { parser?: { onIncoming?: () => number } | null };

function pause(this: Socket): void {
  this.pause();
}

/** Node resumes a connection after each response. */
const stopReading = (socket: Socket) => socket.on('resume', pause).pause();

/** Stops the parser, which otherwise processes a request per 27 bytes. 2 means that another protocol follows. */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & Parsed;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  stopReading(socket);
}

/** Starts each pipelined request in its own turn of the event loop (RFC 9112, 9.3.2). README.md gives the reasons. */
export function createPipelines(linger: Linger, { each, more } = WAITING) {
  const waiting = new WeakMap<Socket, number>();
  let excess = 0;

  function set(socket: Socket, count: number): void {
    excess += Math.max(0, count - each) - Math.max(0, (waiting.get(socket) ?? 0) - each);
    waiting.set(socket, count);
  }

  function enter(socket: Socket): number {
    // A waiting response receives no event when its connection closes.
    if (!waiting.has(socket)) socket.once('close', () => set(socket, 0));
    const count = (waiting.get(socket) ?? 0) + 1;
    set(socket, count);
    if (count === each) stopReading(socket);
    return count;
  }

  function leave(socket: Socket): void {
    const count = waiting.get(socket) ?? 0;
    if (count === 0) return;
    set(socket, count - 1);
    if (count === each) socket.off('resume', pause).resume();
  }

  /** Lets the client read the response. Node would cut a connection that still has unread bytes. */
  function closeAfter(response: ServerResponse, socket: Socket): void {
    response.shouldKeepAlive = false;
    stopParsing(socket);
    socket.destroySoon = () => socket.end();
    response.prependListener('finish', () => linger(socket));
  }

  return function inTurn(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    // Node assigns the connection to the response whose turn it is.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const isFull = excess >= more;
    if (enter(socket) > each && isFull) closeAfter(response, socket);
    const begin = () => {
      leave(socket);
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
    const existing = pending.get(socket);
    if (existing) return existing;
    const responses = new Set<ServerResponse>();
    pending.set(socket, responses);
    socket.once('close', () => pending.delete(socket));
    return responses;
  }

  return {
    /** Call this for every request after it was served or passed to the framework. */
    track({ socket }: IncomingMessage, response: ServerResponse): void {
      // An ended response has been passed to the connection, unless it waits for an earlier one. Keeping it until the
      // next response tripled the pauses for garbage collection.
      if (response.writableEnded && response.socket !== null) return;
      const responses = responsesOn(socket);
      responses.add(response);
      response.once('close', () => {
        responses.delete(response);
        if (responses.size === 0) last.get(socket)?.();
      });
    },

    isIdle: (socket: Socket): boolean => (pending.get(socket)?.size ?? 0) === 0,

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

export type HttpServerParts = {
  timeouts: Timeouts;
  bodies: RequestBodies;
  pending: PendingResponses;
  clients: Pick<ClientNames, 'ofConnection'>;
  linger: Linger;
  /** Sets the URL of each request to the path of a route. */
  takeTarget: (request: IncomingMessage) => void;
  /** Undefined if the framework handles all requests. */
  fastPath?:
    | {
        /** Responds to a bodyless request before it reaches the framework, or returns false. */
        respond: (request: IncomingMessage, response: ServerResponse) => boolean;
        /** Responds to a request that differs only in its key from one to which `respond` has responded, or returns false. */
        repeat: (request: RequestHead) => boolean;
      }
    | undefined;
};

export function createHttpServer(parts: HttpServerParts) {
  const { timeouts, bodies, pending, clients, linger, fastPath, takeTarget } = parts;
  const options = {
    maxHeaderSize: NODE_HEADER_LIMIT,
    // Ending a bodyless request together with its head saves a tenth of a call's time (measured).
    optimizeEmptyRequests: true,
    // The service itself rejects requests without `Host`, and responds with a problem.
    requireHostHeader: false,
    headersTimeout: timeouts.head,
    connectionsCheckingInterval: Math.min(timeouts.head, SECOND),
    // Node writes `Keep-Alive` with this time. `watchConnections` enforces it.
    keepAliveTimeout: KEEP_ALIVE,
    // Bodies have their own time limits.
    requestTimeout: 0,
  };
  const inTurn = createPipelines(linger);

  return function open(listener: RequestListener): Server {
    const framework = traceRequests(listener);
    const repeated = fastPath && createRepeatedRequests({ isIdle: pending.isIdle, respond: fastPath.repeat });
    const handle: RequestListener = (request, response) => {
      if (fastPath?.respond(request, response)) repeated?.keep(request, response);
      else framework(request, response);
    };
    const handleWithBody: RequestListener = (request, response) => bodies.begin(() => framework(request, response));
    const take: RequestListener = (request, response) => {
      repeated?.note(request);
      takeTarget(request);
      if (hasBody(request)) {
        bodies.expect(request, response);
        inTurn(request, response, handleWithBody);
      } else inTurn(request, response, handle);
      pending.track(request, response);
    };
    const server = createServer(options, take);
    server.maxConnections = MAX_CONNECTIONS;
    limitConnections(server, { most: MAX_CONNECTIONS, clientOf: clients.ofConnection, isIdle: pending.isIdle });
    watchConnections(server, { isIdle: pending.isIdle });
    repeated?.readConnections(server);
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
