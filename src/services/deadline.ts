import { setTimeout as wait } from 'node:timers/promises';
import { SECOND } from '../domain/clock.ts';
import { Problem } from '../problems.ts';

/** A statement that takes longer has failed, as far as those who wait for it are concerned; in ms. */
const DEADLINE = 5 * SECOND;

/**
 * What the database answers, or `database_unavailable` when it fails or takes too long. The statement itself may go
 * on, and nobody hears how it ends.
 */
export async function reach<Answer>(work: Promise<Answer>): Promise<Answer> {
  const over = new AbortController();
  const late = wait(DEADLINE, undefined, { signal: over.signal }).then((): never => {
    throw new Error(`the database did not answer within ${DEADLINE} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    throw new Problem('database_unavailable', 'The database cannot be reached.', { cause, retryAfter: 2 });
  } finally {
    over.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
