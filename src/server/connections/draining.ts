import { Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { SECOND } from '#core/clock';
import type { PendingResponses } from './pending-responses.ts';

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
