import { type Clock, SECOND } from '#core/clock';
import { withinDeadline } from './deadline.ts';

/** How long the outcome of a check holds, in ms. */
const CHECK_HOLDS = SECOND;

/** A check that many ask for: one is under way at a time, with one deadline, and its outcome is everybody's for a second. */
export function createCheck(check: () => Promise<void>, clock: Clock): () => Promise<void> {
  let outcome = Promise.resolve();
  let dueAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.elapsed() < dueAt) return outcome;
    dueAt = Number.POSITIVE_INFINITY;
    const work = check().finally(() => {
      dueAt = clock.elapsed() + CHECK_HOLDS;
    });
    outcome = withinDeadline(work);
    return outcome;
  };
}
