import type { Operator } from '#core/actor';
import type { Clock } from '#core/clock';
import { type Authority, byOperator } from '../authority.ts';
import { PLANS, type Plan } from '../plan.ts';
import type { User } from '../user.ts';
import type { AdministrationStore } from './administration-store.ts';

export { MAX_CALLS } from './administration-store.ts';

type Dependencies = {
  store: AdministrationStore;
  find: (key: number) => Promise<User>;
  clock: Clock;
  /** Called after each change, so that this process applies the change immediately. */
  changed?: () => Promise<unknown>;
};

type PlanForm = { plan: Plan; from: 'now' | 'next'; limit?: number | undefined };

/** Each change throws `not_found` and `user_erased`. A change that changes nothing adds no audit event. */
export function createAdministration({ store, find, clock, changed = async () => undefined }: Dependencies) {
  const changing =
    <Values extends unknown[]>(change: (authority: Authority, ...values: [...Values, now: number]) => Promise<void>) =>
    async (operator: Operator, key: number, ...values: Values): Promise<User> => {
      await change(byOperator(key, operator), ...values, clock.now());
      await changed();
      return find(key);
    };
  const changePlan = changing(store.changePlan);

  return {
    /** Takes effect immediately in this process, and within 5 s in all other processes. The user reads the reason. */
    suspend: changing(store.suspend),
    resume: changing(store.resume),
    limit: changing(store.setLimit),
    plan: (operator: Operator, key: number, { plan, from, limit = PLANS[plan].limit }: PlanForm): Promise<User> =>
      changePlan(operator, key, { plan, from, limit }),
    /** Adds calls to the current period. Throws `invalid_request` for too many. */
    credits: changing(store.grantCredits),
    startDuePlans: (): Promise<number> => store.startDuePlans(clock.now()),
  };
}

export type Administration = ReturnType<typeof createAdministration>;
