import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { createConcurrencyLimit, createLoopTurns } from '#server/connections/loop-turns';
import { bodyTooLarge, inTooManyPieces, MAX_DISCARDED, overloaded, tooSlow } from './body-problems.ts';
import { createLingering, type Linger } from './lingering.ts';

/** How long a request may take to arrive, in ms. */
export const TIMEOUTS = {
  /** The time for the head, from its first byte to its end. */
  head: 30 * SECOND,
  /** The time for the body, from the end of the head to the end of the body. */
  body: MINUTE,
  /** From the second window on, each window must receive the body at `MIN_RATE` or faster. */
  window: 5 * SECOND,
  /** The time for the rest of an unwanted body, and for the client to read the problem. */
  linger: 2 * SECOND,
};
export type Timeouts = typeof TIMEOUTS;

/** Up to this many bytes of a rejected body are read, so that its connection can be reused. */
const MAX_READ_AFTER_RESPONSE = 64 * 1024;
/** How many requests with a body start or continue in one turn of the event loop. This takes about a millisecond. */
const PER_TURN = 4;
/** After this many bytes, a body waits for its next turn. */
const TURN_BYTES = 32 * 1024;
/** The maximum size of the buffers of all bodies in progress, in bytes, and the maximum number of bodies per client. */
const MAX_BUFFERED = 16 * 1024 * 1024;
const MAX_BODIES = 4;
/** The minimum rate of a body, in bytes per second. */
const MIN_RATE = 1024;
/** The maximum number of pieces of a body. Each costs a function call, and a chunk (RFC 9112, 7.1) may be one byte. */
const MAX_PIECES = 4096;
const FIRST_BUFFER = 4 * 1024;

/** The announced length of a body in bytes (RFC 9112, 6.3). A chunked body announces no length. */
const lengthOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.POSITIVE_INFINITY;

/** Starts or continues reading a body. Also resumes the connection, because a flowing stream does not resume it. */
function flow(request: IncomingMessage): void {
  request.resume();
  request.socket.resume();
}

type Body = {
  response: ServerResponse;
  keepsAlive: boolean;
  fault?: Problem;
  fail?: (problem: Problem) => void;
};

/** An entry in a WeakMap per request takes four times as long as the rest of `expect`, and slows garbage collection. */
const BODY = Symbol('expected body');
type Expecting = IncomingMessage & { [BODY]?: Body };
/** A connection, with the last request whose body may still arrive. */
type Receiving = Socket & { [LAST]?: Expecting | undefined };
const LAST = Symbol('last request with a body');

type Reception = {
  limit: number;
  take: (piece: Buffer) => void;
  timeouts: Timeouts;
  turns: ReturnType<typeof createLoopTurns>;
};

/** Passes each piece of a body to `take`, waiting for a turn when necessary. Resolves at the end of the body. */
function receive(request: Expecting, { limit, take, timeouts, turns }: Reception): Promise<void> {
  const body = request[BODY];
  if (body === undefined || request.readableEnded) return Promise.resolve();
  if (body.fault) return Promise.reject(body.fault);
  const length = lengthOf(request);
  if (length > limit && length !== Number.POSITIVE_INFINITY) return Promise.reject(bodyTooLarge(limit));
  if (/^100-continue$/i.test(request.headers.expect ?? '') && request.httpVersion !== '1.0')
    body.response.writeContinue();
  return new Promise((resolve, reject) => {
    let size = 0;
    let turned = 0;
    let pieces = 0;
    let windows = 0;
    let before = 0;
    let isWaiting = false;
    const settle = (problem?: Problem) => {
      clearInterval(timer);
      const wasWaiting = isWaiting;
      isWaiting = false;
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      body.fail = undefined;
      if (problem === undefined) {
        // The body ended with the piece after which it would have waited. The next request must still be read.
        if (wasWaiting) request.socket.resume();
        body.response.shouldKeepAlive = body.keepsAlive;
        return resolve();
      }
      request.pause();
      request.socket.pause();
      reject(problem);
    };
    const goOn = () => {
      if (isWaiting) flow(request);
      isWaiting = false;
    };
    const onData = (piece: Buffer) => {
      size += piece.length;
      pieces += 1;
      if (size > limit) return settle(bodyTooLarge(limit));
      if (pieces > MAX_PIECES) return settle(inTooManyPieces());
      try {
        take(piece);
      } catch (problem) {
        return settle(problem as Problem);
      }
      if (size - turned < TURN_BYTES) return;
      turned = size;
      request.pause();
      request.socket.pause();
      isWaiting = true;
      turns.wait(goOn);
    };
    const onEnd = () => settle();
    const onClose = () => settle(new Problem('invalid_request', 'The body is incomplete.'));
    const timer = setInterval(() => {
      windows += 1;
      const isDripping = windows > 1 && size - before < (MIN_RATE * timeouts.window) / SECOND;
      before = size;
      if (isDripping || windows * timeouts.window >= timeouts.body) settle(tooSlow());
    }, timeouts.window);
    body.fail = settle;
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** A short body that has arrived together with its head. Undefined for any other body. */
function arrivedBody(request: Expecting, limit: number): Buffer | undefined {
  if (!request.complete || request[BODY] === undefined || request[BODY].fault) return undefined;
  const length = lengthOf(request);
  if (length > Math.min(limit, TURN_BYTES) || length !== request.readableLength || request.socket.isPaused())
    return undefined;
  return request.read() ?? undefined;
}

/** Gives the client time to read the response. Otherwise, Node would immediately cut a connection that is closing. */
function lingerAfter(
  { shouldKeepAlive }: ServerResponse,
  request: IncomingMessage,
  timeouts: Timeouts,
  linger: Linger,
): void {
  const { socket } = request;
  socket.destroySoon = () => socket.end();
  if (lengthOf(request) > MAX_READ_AFTER_RESPONSE) {
    // Otherwise, Node would continue to read, although no further request is accepted.
    socket.on('resume', () => socket.pause()).pause();
    linger(socket);
    return;
  }
  const timer = setTimeout(() => socket.destroy(), timeouts.linger);
  (shouldKeepAlive ? request : socket).once('close', () => clearTimeout(timer));
  flow(request);
}

/** Reads bodies that a route needs, and discards all others. README.md describes the rest of a rejected body. */
export function createRequestBodies(
  timeouts: Timeouts = TIMEOUTS,
  lingerUnread: Linger = createLingering(timeouts.linger),
) {
  const beginReading = createConcurrencyLimit(MAX_BODIES, (max) =>
    overloaded(`A client can send up to ${max} bodies at the same time. Wait until one of them has arrived.`),
  );
  const turns = createLoopTurns(PER_TURN);
  let buffered = 0;

  return {
    /** Call this for every request with a body, before the response. */
    expect(request: Expecting, response: ServerResponse): void {
      request[BODY] = { response, keepsAlive: response.shouldKeepAlive };
      const socket: Receiving = request.socket;
      socket[LAST] = request;
      // Until the body is complete, its response is the last one on the connection.
      if (lengthOf(request) > MAX_READ_AFTER_RESPONSE) response.shouldKeepAlive = false;
      const awaitRest = () => {
        if (request.complete) {
          if (socket[LAST] === request) socket[LAST] = undefined;
          return;
        }
        socket.pause();
        // Runs before Node's own listener, which closes the connection after its last response.
        response.prependListener('finish', () => {
          if (!request.complete) lingerAfter(response, request, timeouts, lingerUnread);
        });
      };
      // A pause takes two system calls. It is needed only for bodies that wait for an earlier response.
      if (response.socket === null) awaitRest();
      else process.nextTick(awaitRest);
    },

    /** Calls a function in a later turn, so that a thousand simultaneous bodies do not block the event loop. */
    begin: turns.wait,
    /** Passes the pieces of a body to `take`, and discards them. Resolves at its end. Throws `body_too_large` and `request_timeout`. */
    discard: (request: IncomingMessage, take: (piece: Buffer) => void = () => undefined): Promise<void> =>
      receive(request, { limit: MAX_DISCARDED, take, timeouts, turns }),

    /** Reads a body of at most `limit` bytes. Throws `overloaded` if the client sends too many at once. */
    async read(request: IncomingMessage, caller: unknown, limit: number, atOnce?: number): Promise<Buffer> {
      const arrived = arrivedBody(request, limit);
      if (arrived) return arrived;
      let buffer = Buffer.alloc(0);
      let size = 0;
      const end = beginReading(caller, atOnce);
      try {
        const take = (piece: Buffer) => {
          const wanted = size + piece.length;
          if (wanted > buffer.length) {
            const first = Math.min(FIRST_BUFFER, lengthOf(request));
            const larger = Math.min(limit, Math.max(first, 2 * buffer.length, wanted));
            if (buffered + larger - buffer.length > MAX_BUFFERED)
              throw overloaded('The service is receiving too many bodies at the same time.');
            buffered += larger - buffer.length;
            buffer = Buffer.concat([buffer.subarray(0, size)], larger);
          }
          piece.copy(buffer, size);
          size = wanted;
        };
        await receive(request, { limit, take, timeouts, turns });
        return buffer.subarray(0, size);
      } finally {
        buffered -= buffer.length;
        end();
      }
    },

    /** Handles invalid HTTP input. Returns true if the input belongs to a body. Reading that body then fails. */
    fail(socket: Receiving, problem: Problem): boolean {
      const request = socket[LAST];
      const body = request?.[BODY];
      if (!body || request.complete) return false;
      body.fault = problem;
      body.fail?.(problem);
      return true;
    },
  };
}

export type RequestBodies = ReturnType<typeof createRequestBodies>;
