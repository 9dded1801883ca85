import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#core/clock';
import { invalidRequest, Problem } from '#core/problems';
import type { Linger } from '#server/connections/lingering';
import type { RequestBodies, Timeouts } from '#server/connections/request-body';
import { LIMITS, requestId } from '#server/connections/request-head';
import type { PendingResponses } from '#server/connections/server';
import type { RequestHistograms } from '#server/request-metrics';
import { MEDIA_TYPE, textOf } from '#server/responses/problem-responses';

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Whether the URI in the request line is too long by itself. */
const hasLongUri = (bytes?: Buffer): boolean =>
  bytes !== undefined && /^[A-Z-]+ \S+$/.test(bytes.toString('latin1', 0, LIMITS.uri + 16));

/** Whether the parser stopped in a request line whose URI has a space or a non-ASCII character. */
function hasUnencodedUri({ rawPacket, bytesParsed = 0 }: ParseError): boolean {
  const text = rawPacket?.toString('latin1') ?? '';
  const [line = ''] = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1).split('\r\n', 1);
  const [, uri = ''] = /^[A-Z]+ (\S.*) HTTP\/1\.[01]$/.exec(line) ?? [];
  return /[^!-~]/.test(uri);
}

function problemOf(error: NodeJS.ErrnoException, timeouts: Timeouts): Problem {
  const { code, rawPacket } = error as ParseError;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const seconds = timeouts.head / SECOND;
    return new Problem('request_timeout', `The request line and headers did not arrive within ${seconds} s.`);
  }
  if (code === 'HPE_HEADER_OVERFLOW' && hasLongUri(rawPacket))
    return new Problem('uri_too_long', `The URI is longer than ${LIMITS.uri} bytes.`);
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers_too_large', 'The request line and headers are too large.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem('body_too_large', 'The chunk extensions of the body are too large.');
  if (hasUnencodedUri(error)) {
    const message = 'has a space or a character outside ASCII';
    return invalidRequest({ location: 'uri', message, fix: 'percent-encode it in UTF-8, such as %20 for a space' });
  }
  return new Problem('invalid_request', 'The bytes received are not an HTTP/1.1 request.');
}

type Dependencies = {
  pending: PendingResponses;
  bodies: RequestBodies;
  linger: Linger;
  timeouts: Timeouts;
  basePath: string;
  requests?: Pick<RequestHistograms, 'observe' | 'problem'> | undefined;
};

/** Responds after the connection's pending responses, and ends the connection. An invalid body fails its own request. */
export function createBrokenRequests({ pending, bodies, linger, timeouts, basePath, requests }: Dependencies) {
  /** Connections that are being ended. Node also reports their later bytes as errors. */
  const ending = new WeakSet<Socket>();

  function write(socket: Socket, problem: Problem): void {
    requests?.observe(undefined, 'other', problem.status, 0);
    requests?.problem(problem.code);
    const id = requestId({ headers: {} });
    const body = textOf(problem, basePath, id);
    socket.write(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: ${MEDIA_TYPE}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nX-Request-Id: ${id}\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
  }

  function reject(socket: Socket, problem: Problem): void {
    if (ending.has(socket)) return;
    ending.add(socket);
    socket.pause();
    const hasResponse = bodies.fail(socket, problem);
    pending.whenDone(socket, () => {
      if (socket.writable && !hasResponse) write(socket, problem);
      socket.end();
      linger(socket);
    });
  }

  return {
    reject(error: NodeJS.ErrnoException, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy(error);
      else reject(socket, problemOf(error, timeouts));
    },

    rejectTunnel(_request: IncomingMessage, socket: Socket): void {
      socket.on('error', () => undefined);
      const fix = `request a path that ${basePath}/docs lists`;
      reject(socket, invalidRequest({ location: 'method', message: 'CONNECT is not supported', fix }));
    },
  };
}
