import { type Scope, sharedScopes } from '#accounts/keys/api-key';
import { type Suspension, toSuspension } from '#accounts/keys/suspension';
import type { NextPlan, Plan } from '#accounts/ledger/plan';
import { Prisma } from '#generated/prisma/client';
import type { ApiKeyModel, UserModel } from '#generated/prisma/models';

/** Instants in Unix ms. `name` and `email` are null once the user is erased. */
export type User = {
  key: number;
  name: string | null;
  email: string | null;
  plan: Plan;
  limit: number;
  anchor: number;
  createdAt: number;
  validUntil: number;
  updatedAt: number;
  /** A plan that starts with the next period. */
  next: NextPlan | undefined;
  suspension: Suspension | undefined;
};

export const isErased = ({ email }: User): boolean => email === null;

/** A key and its user; instants in Unix ms. */
export type KeyHolder = {
  hash: string;
  id: number;
  user: User;
  scopes: readonly Scope[];
  /** From this time on, the key may only read. */
  replacedAt: number | undefined;
  /** For a replaced key, the end of its grace period. */
  expiresAt: number | undefined;
  revokedAt: number | undefined;
  /** Calls allowed per UTC date. */
  dailyLimit: number | undefined;
  /** The web origins from which the key may be used; undefined for no restriction. */
  allowedOrigins: readonly string[] | undefined;
};

type NextRow = Pick<UserModel, 'nextPlan' | 'nextLimit' | 'nextFrom'>;

function toNextPlan({ nextPlan: plan, nextLimit: limit, nextFrom }: NextRow): NextPlan | undefined {
  return plan === null || limit === null || nextFrom === null ? undefined : { plan, limit, from: nextFrom.getTime() };
}

export const toUser = ({ key, name, email, plan, limit, ...at }: UserModel): User => ({
  key,
  name,
  email,
  plan,
  limit,
  anchor: at.anchor.getTime(),
  createdAt: at.createdAt.getTime(),
  validUntil: at.validUntil.getTime(),
  updatedAt: at.updatedAt.getTime(),
  next: toNextPlan(at),
  suspension: toSuspension(at),
});

/** The columns of `toUser`, under the names of Prisma's model. */
export const USER_COLUMNS = Prisma.sql`u.key, u.name, u.email, u.plan::text, u."limit", u.anchor, u.created_at AS "createdAt",
  u.valid_until AS "validUntil", u.updated_at AS "updatedAt", u.next_plan::text AS "nextPlan",
  u.next_limit AS "nextLimit", u.next_from AS "nextFrom", u.suspended_at AS "suspendedAt",
  u.suspended_reason AS "suspendedReason"`;

export type HolderRow = Pick<
  ApiKeyModel,
  'hash' | 'id' | 'scopes' | 'replacedAt' | 'expiresAt' | 'revokedAt' | 'dailyLimit'
> & { allowedOrigins: ApiKeyModel['allowedOrigins'] | null };

export const toHolder = (
  user: User,
  { hash, id, scopes, dailyLimit, allowedOrigins, ...at }: HolderRow,
): KeyHolder => ({
  hash,
  id,
  user,
  scopes: sharedScopes(scopes),
  replacedAt: at.replacedAt?.getTime(),
  expiresAt: at.expiresAt?.getTime(),
  revokedAt: at.revokedAt?.getTime(),
  dailyLimit: dailyLimit ?? undefined,
  allowedOrigins: allowedOrigins?.length ? allowedOrigins : undefined,
});
