import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { SECOND } from '#core/clock';

/** The responses that are not over yet, by their connections: each gives its own in the order of its requests. */
export function createPendingResponses() {
  const pending = new Map<Socket, Set<ServerResponse>>();
  /** What is to be done on a connection when no response is pending on it. */
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
    /** To be called for every request once it was handed on, or answered. */
    track({ socket }: IncomingMessage, response: ServerResponse): void {
      // What has ended is on its way, unless it waits for an earlier one. No other is kept: responses that were kept
      // until the next on their connection tripled the pauses of collections.
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

    /** Does a last thing on a connection, once no response is pending on it. */
    whenDone(socket: Socket, act: () => void): void {
      if ((pending.get(socket)?.size ?? 0) === 0) act();
      else last.set(socket, act);
    },
  };
}

export type PendingResponses = ReturnType<typeof createPendingResponses>;

/** How long an open connection may still bring a request that was on its way when the stop began, in ms. */
const MOMENT = SECOND;

/**
 * Makes `app.close()` lose no request: nothing new is accepted, what is under way and what still arrives on open
 * connections is answered with `Connection: close`, and a connection is only cut when it has been idle for a moment.
 * Node's own `close` cuts idle connections at once, with a request perhaps on its way. What is not answered within
 * so many ms is cut.
 */
export function drainOnClose(app: FastifyInstance, pending: PendingResponses, withinMs: number): void {
  // Requests that begin from here on are answered by Fastify with `Connection: close`; it closes the server itself
  // after these hooks.
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
