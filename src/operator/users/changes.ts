import { byOperator } from '#accounts/keys/api-key';
import type { Administration } from '#accounts/users/administration';
import type { Users } from '#accounts/users/users';
import type { Operator } from '#core/operator';
import type { UserDirectory } from './directory.ts';

type Dependencies = {
  users: Pick<Users, 'rotate' | 'renew' | 'erase' | 'deleteKey'>;
  administration: Administration;
  directory: Pick<UserDirectory, 'one'>;
};

/** The operator's changes to a user, each of which returns the user as the operator sees it. */
export function createUserChanges({ users, administration, directory }: Dependencies) {
  const { suspend, resume, plan, limit, credits } = administration;

  const shown =
    <Args extends unknown[]>(change: (operator: Operator, key: number, ...args: Args) => Promise<unknown>) =>
    async (operator: Operator, key: number, ...args: Args) => {
      await change(operator, key, ...args);
      return directory.one(key);
    };

  return {
    suspend: shown(suspend),
    resume: shown(resume),
    plan: shown(plan),
    limit: shown(limit),
    credits: shown(credits),
    renew: shown((operator, key) => users.renew(byOperator(key, operator))),
    /** Returns the public record with the new key. */
    rotate: (operator: Operator, key: number, graceSeconds: number) =>
      users.rotate(byOperator(key, operator), graceSeconds),
    erase: (operator: Operator, key: number) => users.erase(byOperator(key, operator)),
    revokeKey: (operator: Operator, key: number, id: number) => users.deleteKey(byOperator(key, operator), id),
  };
}

export type UserChanges = ReturnType<typeof createUserChanges>;
