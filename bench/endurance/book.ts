import type { Plan } from '#accounts/ledger/plan';
import type { UserRecord } from '#accounts/records';
import type { Member } from './fleet.ts';

/** A crash may lose the calls of a tick, and of the write that was under way then; in ms. */
const LOST_AT_MOST = 2_000;

export type User = {
  /** The record number. */
  key: number;
  apiKey: string;
  plan: Plan;
  limit: number;
  /** Expected to spend all that there is. */
  isScarce: boolean;
  /** Priced calls answered with 2xx. */
  answered: number;
  /** Priced calls whose connection broke: whether they were answered cannot be known from here. */
  unanswered: number;
  /** Of the answered ones, those that a killed process may have taken with it. */
  atRisk: number;
};

/** What the ledger has in the end. */
export type Booked = { userKey: number; used: number; daily: number };

/** The caller's own account of what was answered, to hold the ledger against. */
export function createBook() {
  const users = new Map<number, User>();
  let recent: { member: Member; user: User; at: number }[] = [];

  return {
    /** Begins to keep account of a user. */
    enter({ key, apiKey, plan, limit }: UserRecord, { isScarce = false } = {}): User {
      const user = { key, apiKey, plan, limit, isScarce, answered: 0, unanswered: 0, atRisk: 0 };
      users.set(user.key, user);
      return user;
    },

    answered(user: User, member: Member): void {
      const at = performance.now();
      user.answered += 1;
      recent.push({ member, user, at });
      if (recent.length > 10_000) recent = recent.filter((one) => one.at >= at - 2 * LOST_AT_MOST);
    },

    unanswered(user: User): void {
      user.unanswered += 1;
    },

    /** A process was killed: what it answered last may be lost. Gives how many calls that were. */
    killed(member: Member, at: number): number {
      const lost = recent.filter((one) => one.member === member && one.at >= at - LOST_AT_MOST);
      for (const { user } of lost) user.atRisk += 1;
      return lost.length;
    },

    /** Compares with the ledger, user by user; `faults` tells of each who does not agree. */
    compare(ledger: readonly Booked[]) {
      const booked = new Map(ledger.map((row) => [row.userKey, row]));
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
        const who = `user ${key} (${plan}, limit ${limit}): ${answered} answered, ${used} in the ledger`;
        if (used < answered - atRisk) faults.push(`${who}, and only ${atRisk} may have been lost in a crash`);
        if (used > answered + unanswered) faults.push(`${who}, and only ${unanswered} had their answer cut off`);
        if (used !== daily) faults.push(`${who}, and ${daily} in the ledger's days`);
        if (used > limit) faults.push(`${who}, which is above the limit`);
      }
      return { ...sum, faults };
    },
  };
}

export type Book = ReturnType<typeof createBook>;
