import { Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { SECOND } from '#core/clock';
import type { PendingResponses } from './server.ts';

/** How long a connection may still deliver a request that was in transit at the stop, in ms. */
const MOMENT = SECOND;

/** `app.close()` loses no request: idle connections are cut after a moment, and requests aborted after `withinMs`. */
export function drainOnClose(app: FastifyInstance, pending: PendingResponses, withinMs: number): void {
  // Fastify now responds to new requests with `Connection: close`. It closes the server itself after these hooks.
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
