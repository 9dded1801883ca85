import type { FastifyReply } from 'fastify';
import { Problem } from '#core/problems';

/** A signal that aborts if the client disconnects before the response is sent. */
export function disconnectionOf({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!raw.writableFinished) gone.abort(new Problem('invalid_request', 'The client has disconnected.'));
  };
  if (raw.closed) abort();
  else raw.once('close', abort);
  return gone.signal;
}
