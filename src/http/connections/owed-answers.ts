import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answers that are owed, by their connections: each gives its own in the order of its requests. */
export function createOwedAnswers() {
  const owed = new Map<Socket, Set<ServerResponse>>();
  /** What is to be done on a connection when nothing is owed on it. */
  const last = new WeakMap<Socket, () => void>();

  function answersOn(socket: Socket): Set<ServerResponse> {
    const known = owed.get(socket);
    if (known) return known;
    const answers = new Set<ServerResponse>();
    owed.set(socket, answers);
    socket.once('close', () => owed.delete(socket));
    return answers;
  }

  return {
    /** To be told of every request once it was handed on, or answered. */
    track({ socket }: IncomingMessage, response: ServerResponse): void {
      // What has ended is on its way, unless it waits for an earlier one. No other is kept: responses that were kept
      // until the next on their connection tripled the pauses of collections.
      if (response.writableEnded && response.socket !== null) return;
      const answers = answersOn(socket);
      answers.add(response);
      response.once('close', () => {
        answers.delete(response);
        if (answers.size === 0) last.get(socket)?.();
      });
    },

    *all(): Iterable<ServerResponse> {
      for (const answers of owed.values()) yield* answers;
    },

    /** Does a last thing on a connection, once nothing is owed on it. */
    afterThose(socket: Socket, act: () => void): void {
      if ((owed.get(socket)?.size ?? 0) === 0) act();
      else last.set(socket, act);
    },
  };
}

export type OwedAnswers = ReturnType<typeof createOwedAnswers>;
