import type { Fleet, Member } from './fleet.ts';
import type { User } from './ledger.ts';
import type { Query } from './queries.ts';
import type { Requests } from './requests.ts';

const EVERY_MS = 10;
/** The maximum number of concurrent calls. Further calls that are due are skipped and counted. */
const MAX_CONCURRENT = 600;

type Parts = {
  requests: Requests;
  fleet: Fleet;
  users: readonly User[];
  nextQuery: () => Query;
  random: () => number;
  /** The total number of calls per second to all processes. */
  rate: number;
};

/** Sends queries at a constant rate, independent of the responses. `close` waits for pending calls. */
export function startLoad({ requests, fleet, users, nextQuery, random, rate }: Parts) {
  const startedAt = performance.now();
  const pending = new Set<Promise<unknown>>();
  let due = 0;
  let skipped = 0;

  function send(): void {
    const member = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    // A few keys are busy, and most are not.
    const user = users[Math.floor(random() ** 2 * users.length)] as User;
    const sent = requests.send(member, nextQuery(), user).finally(() => pending.delete(sent));
    pending.add(sent);
  }

  const ticking = setInterval(() => {
    const target = ((performance.now() - startedAt) / 1000) * rate;
    for (; due < target; due++) {
      if (pending.size < MAX_CONCURRENT) send();
      else skipped += 1;
    }
  }, EVERY_MS);

  return {
    counts: () => ({ sent: due - skipped, skipped }),
    async close(): Promise<void> {
      clearInterval(ticking);
      await Promise.all(pending);
    },
  };
}
