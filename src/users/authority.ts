import type { Operator } from '#core/actor';
import { Problem } from '#core/problems';

/** The user to change, and the actor: the holder of an owner key (by its SHA-256), the operator, or the service. */
export type Authority = {
  readonly userKey: number;
  readonly ownerKeyHash: string | null;
  readonly operator?: Operator;
  /** Returns the problem for a change that this authority may no longer make. */
  readonly ended: () => Problem;
};

export const ownerKeyEnded = () =>
  new Problem(
    'api_key_revoked',
    'This API key was replaced or revoked, or its user was deleted. Use the current owner key.',
  );

const userErased = () => new Problem('user_erased', 'The user was erased and cannot be changed.');

export const userNotFound = (userKey: number) => new Problem('not_found', `No user has the record number ${userKey}.`);

/** The database accepts the change only if this owner key is still active. */
export const byOwnerKey = ({ hash, user }: { hash: string; user: { key: number } }): Authority => ({
  userKey: user.key,
  ownerKeyHash: hash,
  ended: ownerKeyEnded,
});

/** The change adds an audit event. */
export const byOperator = (userKey: number, operator: Operator): Authority => ({
  userKey,
  ownerKeyHash: null,
  operator,
  ended: userErased,
});

export const byService = (userKey: number, ended: () => Problem): Authority => ({ userKey, ownerKeyHash: null, ended });
