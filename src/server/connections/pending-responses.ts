import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { SECOND } from '#core/clock';

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
      // An ended response is on its way, unless it waits for an earlier one. So it is not kept: keeping responses until
      // the next one on their connection tripled the garbage collection pauses.
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

/** How long a connection may still deliver a request that was on its way when the stop began, in ms. */
const MOMENT = SECOND;

/**
 * Makes `app.close()` lose no request: new connections are rejected, and requests on open connections get a response
 * with `Connection: close`. A connection is cut only after a moment of idleness. Node's own `close` cuts idle
 * connections immediately, even if a request is on its way. Requests that have no response after `withinMs` are cut.
 */
export function drainOnClose(app: FastifyInstance, pending: PendingResponses, withinMs: number): void {
  // From here on, Fastify responds to new requests with `Connection: close`. It closes the server itself after these
  // hooks.
  app.addHook('preClose', async () => {
    if (!app.server.listening) return;
    for (const response of pending.all()) response.shouldKeepAlive = false;
    const over = new AbortController();
    const ended = new Promise<void>((resolve) => {
      Server.prototype.close.call(app.server, () => resolve());
    });
    const cut = async () => {
      await wait(Math.min(MOMENT, withinMs), undefined, { signal: over.signal });
      app.server.closeIdleConnections();
      await wait(Math.max(0, withinMs - MOMENT), undefined, { signal: over.signal });
      app.server.closeAllConnections();
    };
    const cutting = cut().catch(() => undefined);
    await ended;
    over.abort();
    await cutting;
  });
}
