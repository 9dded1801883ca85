import type { Operator } from '#core/actor';
import type { Keys } from '#keys/keys';
import type { Administration } from '#users/administration/administration';
import { byOperator } from '#users/authority';
import type { Users } from '#users/users';
import type { UserDirectory } from './directory.ts';

type Dependencies = {
  users: Pick<Users, 'renew' | 'erase'>;
  keys: Pick<Keys, 'rotate' | 'delete'>;
  administration: Administration;
  directory: Pick<UserDirectory, 'find'>;
};

export function createUserChanges({ users, keys, administration, directory }: Dependencies) {
  const { suspend, resume, plan, limit, credits } = administration;

  const shown =
    <Args extends unknown[]>(change: (operator: Operator, key: number, ...args: Args) => Promise<unknown>) =>
    async (operator: Operator, key: number, ...args: Args) => {
      await change(operator, key, ...args);
      return directory.find(key);
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
      keys.rotate(byOperator(key, operator), graceSeconds),
    erase: (operator: Operator, key: number) => users.erase(byOperator(key, operator)),
    revokeKey: (operator: Operator, key: number, id: number) => keys.delete(byOperator(key, operator), id),
  };
}
