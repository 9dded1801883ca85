import type { Asking } from './asking.ts';
import type { User } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Question } from './questions.ts';

const EVERY_MS = 10;
/** More than these are not under way at once: what is due beyond them is passed over, and counted. */
const AT_ONCE = 600;

type Parts = {
  asking: Asking;
  fleet: Fleet;
  users: readonly User[];
  questions: () => Question;
  random: () => number;
  /** Calls a second, to all processes together. */
  rate: number;
};

/** Asks questions at a rate, whether or not answers come; `close` waits for those under way. */
export function startLoad({ asking, fleet, users, questions, random, rate }: Parts) {
  const startedAt = performance.now();
  const underWay = new Set<Promise<unknown>>();
  let due = 0;
  let passedOver = 0;

  function ask(): void {
    const member = fleet.members[Math.floor(random() * fleet.members.length)] as Member;
    // A few keys are busy and many are not.
    const user = users[Math.floor(random() ** 2 * users.length)] as User;
    const asked = asking.ask(member, questions(), user).finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  const ticking = setInterval(() => {
    const target = ((performance.now() - startedAt) / 1000) * rate;
    for (; due < target; due++) {
      if (underWay.size < AT_ONCE) ask();
      else passedOver += 1;
    }
  }, EVERY_MS);

  return {
    counts: () => ({ asked: due - passedOver, passedOver }),
    async close(): Promise<void> {
      clearInterval(ticking);
      await Promise.all(underWay);
    },
  };
}
