import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
