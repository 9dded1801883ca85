import type { Plan } from '#users/plan';
import type { UserRecord } from '#users/users-records';
import type { Member } from './fleet.ts';

/** A crash loses at most the calls made during this time (ms): one tick and the write in progress. */
const MAX_LOSS = 2_000;

export type User = {
  /** The record number. */
  key: number;
  apiKey: string;
  plan: Plan;
  limit: number;
  /** Whether the run exhausts the user's limit. */
  isScarce: boolean;
  /** Charged calls with a 2xx response. */
  answered: number;
  /** Charged calls whose connection broke, so that the client cannot know whether they were charged. */
  unanswered: number;
  /** Calls with a response that a killed process may not have settled. */
  atRisk: number;
};

/** A user's calls in the service's ledger. */
export type LedgerRow = { userKey: number; used: number; daily: number };

/** The client's own record of its calls, for comparison with the service's ledger. */
export function createLedger() {
  const users = new Map<number, User>();
  let recent: { member: Member; user: User; at: number }[] = [];

  return {
    /** Starts to record a user's calls. */
    addUser({ key, apiKey, plan, limit }: UserRecord, { isScarce = false } = {}): User {
      const user = { key, apiKey, plan, limit, isScarce, answered: 0, unanswered: 0, atRisk: 0 };
      users.set(user.key, user);
      return user;
    },

    recordResponse(user: User, member: Member): void {
      const at = performance.now();
      user.answered += 1;
      recent.push({ member, user, at });
      if (recent.length > 10_000) recent = recent.filter((one) => one.at >= at - 2 * MAX_LOSS);
    },

    recordNoResponse(user: User): void {
      user.unanswered += 1;
    },

    /** Marks the last calls of a killed process as at risk. Returns their number. */
    recordKill(member: Member, at: number): number {
      const lost = recent.filter((one) => one.member === member && one.at >= at - MAX_LOSS);
      for (const { user } of lost) user.atRisk += 1;
      return lost.length;
    },

    /** Compares each user's calls with the service's ledger. `faults` describes the differences. */
    compare(rows: readonly LedgerRow[]) {
      const booked = new Map(rows.map((row) => [row.userKey, row]));
      const sum = { answered: 0, used: 0, lost: 0, atRisk: 0, unanswered: 0, overcharged: 0 };
      const faults: string[] = [];
      for (const user of users.values()) {
        const { used, daily } = booked.get(user.key) ?? { used: 0, daily: 0 };
        const { key, plan, limit, answered, unanswered, atRisk } = user;
        sum.answered += answered;
        sum.used += used;
        sum.atRisk += atRisk;
        sum.unanswered += unanswered;
        sum.lost += Math.max(0, answered - used);
        sum.overcharged += Math.max(0, used - answered);
        const subject = `user ${key} (${plan}, limit ${limit}): ${answered} answered, ${used} in the ledger`;
        if (used < answered - atRisk) faults.push(`${subject}, but a crash can have lost only ${atRisk}`);
        if (used > answered + unanswered) faults.push(`${subject}, but only ${unanswered} responses were cut off`);
        if (used !== daily) faults.push(`${subject}, but ${daily} in the daily counts`);
        if (used > limit) faults.push(`${subject}, above the limit`);
      }
      return { ...sum, faults };
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;
