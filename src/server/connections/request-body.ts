import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import { createLingering, type Linger } from './lingering.ts';
import { createLoopTurns } from './loop-turns.ts';

/** How long a request may take to arrive, in ms. */
export const TIMEOUTS = {
  /** From its first byte to the end of its head. */
  head: 30 * SECOND,
  /** From there to the end of its body. */
  body: MINUTE,
  /** From the second of these on, a body has to bring so many times `LEAST_RATE` in each. */
  window: 5 * SECOND,
  /** For a body that nobody waits for any more, and for the other side to read why. */
  linger: 2 * SECOND,
};
export type Timeouts = typeof TIMEOUTS;

/** Of one body that is refused: up to so many bytes are read, so that its connection can go on. */
const SHORT = 64 * 1024;

/** How many requests with a body are begun, or go on, in one turn of the loop: a millisecond's. */
const PER_TURN = 4;
/** From so many bytes on a body waits for its turn before it goes on. */
const TURN = 32 * 1024;

/** Of one body that nobody reads, in bytes. */
export const MAX_DISCARDED = 1024 * 1024;

/** The buffers of all bodies that are being read, in bytes, and how many of them may be of one caller. */
const BUFFERED = 16 * 1024 * 1024;
const AT_ONCE = 4;

/** What a body has to bring, in bytes a second. */
const LEAST_RATE = 1024;
/** The pieces that a body may come in: each costs a call, and a chunk (RFC 9112, 7.1) may hold a single byte. */
const MOST_PIECES = 4096;
/** The first buffer for a body, in bytes. */
const FIRST_BUFFER = 4 * 1024;

// Whatever is left of a body then is not waited for.
const close = { connection: 'close' };

export const bodyTooLarge = (limit: number = MAX_DISCARDED) =>
  new Problem('body_too_large', `The body is over ${limit / 1024} KB, more than this path takes.`, {
    headers: close,
  });

const inTooManyPieces = () =>
  new Problem('body_too_large', 'The body comes in too many pieces: send larger ones.', { headers: close });

const tooSlow = () =>
  new Problem('request_timeout', 'The body did not arrive in time, or came too slowly.', { headers: close });

const overloaded = (detail: string) => new Problem('overloaded', detail, { retryAfter: 1, headers: close });

/** Whether a request says that it brings a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** How long a body says that it is (RFC 9112, 6.3), in bytes; one in chunks does not. */
const lengthOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.POSITIVE_INFINITY;

/** Has a body come; the stream of a request does not see to its connection while it thinks that it is reading. */
function flow(request: IncomingMessage): void {
  request.resume();
  request.socket.resume();
}

type Body = {
  response: ServerResponse;
  /** Whether its connection may go on when it is whole. */
  keepsAlive: boolean;
  /** Why the rest of it cannot be read. */
  fault?: Problem;
  /** Ends the wait for it. */
  fail?: (problem: Problem) => void;
};

/**
 * The bodies of requests: read where one is wanted, else counted and discarded as they arrive. Nothing is read before
 * somebody waits for it, so that a refusal does not wait, and all bodies together have a small part of a turn of the
 * loop: libuv would read up to 2 MB of each. When the answer is over, the rest of a short body is discarded; a longer
 * one is not read any more, so that its sender waits, and its connection is ended, and cut a moment later (RFC 9112,
 * 9.6: a connection that is cut at once takes the answer with it).
 */
export function createRequestBodies(
  timeouts: Timeouts = TIMEOUTS,
  lingerUnread: Linger = createLingering(timeouts.linger),
) {
  const bodies = new WeakMap<IncomingMessage, Body>();
  /** The last request with a body on a connection. */
  const lastOn = new WeakMap<Socket, IncomingMessage>();
  const beginReading = createConcurrencyLimit(AT_ONCE, () =>
    overloaded(`More than ${AT_ONCE} bodies of one caller arrive at once.`),
  );
  const turns = createLoopTurns(PER_TURN);
  let buffered = 0;

  /** Gives each piece of a body to `take`; resolves when it is whole. */
  function receive(request: IncomingMessage, limit: number, take: (piece: Buffer) => void): Promise<void> {
    const body = bodies.get(request);
    if (body === undefined || request.readableEnded) return Promise.resolve();
    if (body.fault) return Promise.reject(body.fault);
    const length = lengthOf(request);
    if (length > limit && length !== Number.POSITIVE_INFINITY) return Promise.reject(bodyTooLarge(limit));
    if (/^100-continue$/i.test(request.headers.expect ?? '') && request.httpVersion !== '1.0')
      body.response.writeContinue();
    return new Promise((resolve, reject) => {
      let [size, turned, pieces, windows, before] = [0, 0, 0, 0, 0];
      const settle = (problem?: Problem) => {
        clearInterval(timer);
        turns.leave(goOn);
        request.off('data', onData).off('end', onEnd).off('close', onClose);
        body.fail = undefined;
        if (problem === undefined) {
          body.response.shouldKeepAlive = body.keepsAlive;
          return resolve();
        }
        request.pause();
        request.socket.pause();
        reject(problem);
      };
      const goOn = () => flow(request);
      const onData = (piece: Buffer) => {
        size += piece.length;
        pieces += 1;
        if (size > limit) return settle(bodyTooLarge(limit));
        if (pieces > MOST_PIECES) return settle(inTooManyPieces());
        try {
          take(piece);
        } catch (problem) {
          return settle(problem as Problem);
        }
        if (size - turned < TURN) return;
        turned = size;
        request.pause();
        request.socket.pause();
        turns.wait(goOn);
      };
      const onEnd = () => settle();
      const onClose = () => settle(new Problem('invalid_request', 'The body ended before it was whole.'));
      const timer = setInterval(() => {
        windows += 1;
        const isDripping = windows > 1 && size - before < (LEAST_RATE * timeouts.window) / SECOND;
        before = size;
        if (isDripping || windows * timeouts.window >= timeouts.body) settle(tooSlow());
      }, timeouts.window);
      body.fail = settle;
      request.on('data', onData).on('end', onEnd).on('close', onClose);
    });
  }

  /** What is still to come of a body whose answer is over. */
  function linger(request: IncomingMessage, { shouldKeepAlive }: ServerResponse): void {
    const { socket } = request;
    // Node would cut a connection that is to close at once.
    socket.destroySoon = () => socket.end();
    if (lengthOf(request) > SHORT) {
      // Node goes on reading for the sake of the next request, which does not come.
      socket.on('resume', () => socket.pause()).pause();
      lingerUnread(socket);
      return;
    }
    const timer = setTimeout(() => socket.destroy(), timeouts.linger);
    (shouldKeepAlive ? request : socket).once('close', () => clearTimeout(timer));
    flow(request);
  }

  return {
    /** To be told of every request with a body before it is answered. */
    expect(request: IncomingMessage, response: ServerResponse): void {
      const keepsAlive = response.shouldKeepAlive;
      bodies.set(request, { response, keepsAlive });
      lastOn.set(request.socket, request);
      request.socket.pause();
      // Until the body is whole its answer is the last one.
      if (lengthOf(request) > SHORT) response.shouldKeepAlive = false;
      // Before Node's own listener, which closes the connection where this was its last answer.
      response.prependListener('finish', () => {
        if (!request.complete) linger(request, response);
      });
    },

    /** Begins with a request that has a body: a thousand that arrive together have no turn of the loop to themselves. */
    begin: turns.wait,

    /** The body of a request is not wanted. Resolves when it is over; throws `body_too_large`, `request_timeout`. */
    discard: (request: IncomingMessage): Promise<void> => receive(request, MAX_DISCARDED, () => undefined),

    /** The body of a request, of `limit` bytes at most; a caller may have a few at once. Throws `overloaded` too. */
    async read(request: IncomingMessage, caller: unknown, limit: number): Promise<Buffer> {
      let [buffer, size] = [Buffer.alloc(0), 0];
      const end = beginReading(caller);
      try {
        await receive(request, limit, (piece) => {
          const wanted = size + piece.length;
          if (wanted > buffer.length) {
            const doubled = Math.max(FIRST_BUFFER, 2 * buffer.length, wanted);
            const larger = Math.min(limit, doubled);
            if (buffered + larger - buffer.length > BUFFERED) throw overloaded('Too many bodies arrive at once.');
            buffered += larger - buffer.length;
            buffer = Buffer.concat([buffer.subarray(0, size)], larger);
          }
          piece.copy(buffer, size);
          size = wanted;
        });
        return buffer.subarray(0, size);
      } finally {
        buffered -= buffer.length;
        end();
      }
    },

    /**
     * What arrives on a connection is not HTTP. When it is the rest of a body, whoever waits for that body is told, and
     * `true` is returned: the answer to its request is the last one.
     */
    fail(socket: Socket, problem: Problem): boolean {
      const request = lastOn.get(socket);
      const body = request && bodies.get(request);
      if (!body || request.complete) return false;
      body.fault = problem;
      body.fail?.(problem);
      return true;
    },
  };
}

export type RequestBodies = ReturnType<typeof createRequestBodies>;
