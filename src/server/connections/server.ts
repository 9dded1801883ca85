import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { SECOND } from '#core/clock';
import { limitUnread } from './lingering.ts';
import type { PendingResponses } from './pending-responses.ts';
import { createPipelines } from './pipelined-requests.ts';
import { hasBody, type RequestBodies, type Timeouts } from './request-body.ts';

/** The most connections to a process: their heads, as far as they have come, are in its memory. */
const MAX_CONNECTIONS = 8_000;
/** Node's own bound on the request line and header fields, in bytes: above ours, so that it is we who answer. */
const NODE_HEADER_LIMIT = 32 * 1024;
/** How long an idle connection stays open, in ms. */
export const KEEP_ALIVE = 72 * SECOND;

type Dependencies = {
  timeouts: Timeouts;
  bodies: RequestBodies;
  pending: PendingResponses;
  /** Answers a request without a body in front of the framework, or returns false. */
  fastPath: (request: IncomingMessage, response: ServerResponse) => boolean;
};

/** Creates the HTTP server of an app: what a connection may take, and what the framework is asked. */
export function createHttpServer({ timeouts, bodies, pending, fastPath }: Dependencies) {
  const options = {
    maxHeaderSize: NODE_HEADER_LIMIT,
    // A request without a body is over with its head, which was measured as a tenth of a call.
    optimizeEmptyRequests: true,
    // Answered by us, as every problem is.
    requireHostHeader: false,
    headersTimeout: timeouts.head,
    connectionsCheckingInterval: Math.min(timeouts.head, SECOND),
    keepAliveTimeout: KEEP_ALIVE,
    // A body has a bound of its own on its time.
    requestTimeout: 0,
  };
  const inTurn = createPipelines();

  /** @param framework takes the requests that the fast path does not answer */
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
    // Who announces a body is told to send it when somebody waits for it (RFC 9110, 10.1.1).
    server.on('checkContinue', (request, response) => {
      if (!hasBody(request)) response.writeContinue();
      take(request, response);
    });
    // Node answers 417 by itself to an Expect that it does not know; it may as well be ignored.
    server.on('checkExpectation', take);
    return server;
  };
}
