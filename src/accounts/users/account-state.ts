/** `revoked` if no live key is left; `expired` until a renewal. */
export const USER_STATES = ['active', 'suspended', 'expired', 'revoked', 'erased'] as const;
export type UserState = (typeof USER_STATES)[number];
/** A `replaced` key may only read, until its grace period ends. */
export const KEY_STATES = ['active', 'replaced', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

type UserFacts = { isErased: boolean; isSuspended: boolean; liveKeys: number; validUntil: number };

/** Instants in Unix ms. */
export function stateOfUser({ isErased, isSuspended, liveKeys, validUntil }: UserFacts, now: number): UserState {
  if (isErased) return 'erased';
  if (isSuspended) return 'suspended';
  if (liveKeys === 0) return 'revoked';
  return now >= validUntil ? 'expired' : 'active';
}

type KeyFacts = { revokedAt: number | null; expiresAt: number | null; replacedAt: number | null };

/** Returns the state of the key alone, regardless of its user's state. */
export function stateOfKey({ revokedAt, expiresAt, replacedAt }: KeyFacts, now: number): KeyState {
  if (revokedAt !== null && revokedAt <= now) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return replacedAt === null ? 'active' : 'replaced';
}
