import type pg from 'pg';
import { toError } from '#core/errors';
import { isPassing } from './unreachable.ts';

/** Resolves when the next attempt is due. Rejects if there is no next attempt. */
export type Patience = (error: Error) => Promise<void>;

/** While the service starts, repeats statements that fail to reach the database, until the result is called. */
export function awaitDatabase(pool: pg.Pool, untilNextAttempt: Patience): () => void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;

  async function queryRepeatedly(...args: unknown[]): Promise<unknown> {
    for (;;) {
      try {
        return await query(...args);
      } catch (error) {
        if (!isPassing(error)) throw error;
        await untilNextAttempt(toError(error));
      }
    }
  }

  Object.assign(pool, { query: queryRepeatedly });
  return () => void Object.assign(pool, { query });
}
