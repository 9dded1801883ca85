import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { SECOND } from '#core/clock';
import { limitUnread } from './lingering.ts';
import type { PendingResponses } from './pending-responses.ts';
import { createPipelines } from './pipelined-requests.ts';
import { hasBody, type RequestBodies, type Timeouts } from './request-body.ts';

/** The maximum number of connections of a process: partial heads take memory. */
const MAX_CONNECTIONS = 8_000;
/** In bytes. Above the service's own limit, so that the service writes the rejection. */
const NODE_HEADER_LIMIT = 32 * 1024;
/** How long an idle connection stays open, in ms. */
export const KEEP_ALIVE = 72 * SECOND;

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
    // Measured: ending a bodyless request together with its head saves a tenth of a call's time.
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

  /** @param framework handles the requests that the fast path does not serve */
  return function open(framework: RequestListener): Server {
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
    // Node would respond to an unknown `Expect` with 417. Ignoring the header is also allowed.
    server.on('checkExpectation', take);
    return server;
  };
}
