import { byOperator } from '#accounts/keys/api-key';
import { userErased } from '#accounts/keys/key-problems';
import type { User } from '#accounts/keys/user-store';
import { PLANS, type Plan } from '#accounts/ledger/plan';
import type { Clock } from '#core/clock';
import type { Operator } from '#core/operator';
import { invalidRequest, Problem } from '#core/problems';
import type { AdministrationStore, Grant } from './administration-store.ts';

/** The largest number of calls of a limit, and of the credits of a period. */
export const MOST_CALLS = 2_000_000_000;

type Dependencies = {
  store: AdministrationStore;
  find: (key: number) => Promise<User | undefined>;
  clock: Clock;
  /** Called after each change, so that this process applies the change immediately. */
  changed?: () => Promise<unknown>;
};

type PlanForm = { plan: Plan; from: 'now' | 'next'; limit?: number | undefined };

/**
 * The operator's changes that a user cannot make. Each throws `not_found` and `user_erased`, and returns the user. A
 * change that changes nothing adds no audit event.
 */
export function createAdministration({ store, find, clock, changed = async () => undefined }: Dependencies) {
  async function existing(key: number): Promise<User> {
    const user = await find(key);
    if (!user) throw new Problem('not_found', `No user has the record number ${key}.`);
    return user;
  }

  async function after<Outcome>(key: number, change: Promise<Outcome>): Promise<User> {
    const outcome = await change;
    await changed();
    const user = await existing(key);
    if (outcome === 'ended') throw userErased();
    if (outcome === 'too_many') {
      const message = `must not raise the credits of the period above ${MOST_CALLS}`;
      throw invalidRequest({ location: 'body.calls', message, fix: 'grant fewer calls' });
    }
    return user;
  }

  return {
    /** Takes effect immediately in this process, and within 5 s in all others. The user reads the reason. */
    suspend: (operator: Operator, key: number, reason: string): Promise<User> =>
      after(key, store.suspend(byOperator(key, operator), reason, clock.now())),

    resume: (operator: Operator, key: number, reason: string): Promise<User> =>
      after(key, store.resume(byOperator(key, operator), reason, clock.now())),

    limit: (operator: Operator, key: number, limit: number): Promise<User> =>
      after(key, store.setLimit(byOperator(key, operator), limit, clock.now())),

    plan: (operator: Operator, key: number, { plan, from, limit = PLANS[plan].limit }: PlanForm): Promise<User> =>
      after(key, store.changePlan(byOperator(key, operator), { plan, from, limit }, clock.now())),

    /** Adds calls to the current period. Throws `invalid_request` for too many. */
    credits: (operator: Operator, key: number, grant: Grant): Promise<User> =>
      after(key, store.grantCredits(byOperator(key, operator), grant, MOST_CALLS, clock.now())),

    startDuePlans: (): Promise<number> => store.startDuePlans(clock.now()),
  };
}

export type Administration = ReturnType<typeof createAdministration>;
