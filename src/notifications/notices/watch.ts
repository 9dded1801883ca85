import { type Clock, MINUTE, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureLog } from '#upstream/failure-log';
import type { NoticeStore } from './notice-store.ts';

/** How often each is done, over all processes, and how often a process asks whether it is its turn, in ms. */
const TELL_OF_USE = 5 * SECOND;
const TELL_OF_END = MINUTE;
const ASK_EVERY = 2.5 * SECOND;
/** Looking may take one part in so many of the time: where there are so many users that it takes longer, it waits longer. */
const PART = 50;
/** A call waits so long at most for other things than an upstream, in ms: after that it is charged for good. */
const LONGEST_WAIT = 10 * SECOND;

type Dependencies = {
  store: Pick<NoticeStore, 'tellOfUsedAllowances' | 'tellOfEndingValidity'>;
  claims: Pick<RefreshStore, 'takeTurn'>;
  /** Told when there are messages to be sent. */
  wake: () => void;
  upstreamTimeoutMs: number;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

/**
 * Looks again and again what users are to be told. It is found in what is stored, for all users together, so nothing is
 * missed whichever processes spend or die, and the ledger has nothing to do with it.
 */
export function createNoticeWatch(dependencies: Dependencies) {
  const { store, claims, wake, upstreamTimeoutMs, clock, failures } = dependencies;
  const staysMs = upstreamTimeoutMs + LONGEST_WAIT;
  const rounds = [
    { what: 'notices:use', apart: TELL_OF_USE, tell: () => store.tellOfUsedAllowances(clock.now(), staysMs) },
    { what: 'notices:end', apart: TELL_OF_END, tell: () => store.tellOfEndingValidity(clock.now()) },
  ] as const;
  let longest = 0;

  async function tellInTurn(): Promise<void> {
    for (const { what, apart, tell } of rounds) {
      if (!(await claims.takeTurn(what, Math.max(apart, longest * PART)))) continue;
      const since = clock.elapsed();
      if ((await tell()) > 0) wake();
      longest = Math.max(longest / 2, clock.elapsed() - since);
    }
  }

  return every(ASK_EVERY, tellInTurn, { onError: (error) => failures.failed('notice look-up', error) });
}
