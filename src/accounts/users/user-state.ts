/** What a user may do now: `revoked` where no key is left, `expired` until a renewal. */
export type UserState = 'active' | 'expired' | 'revoked' | 'erased';

/** A key that was `replaced` only reads, until its grace ends. */
export type KeyState = 'active' | 'replaced' | 'expired' | 'revoked';

type UserFacts = { isErased: boolean; liveKeys: number; validUntil: number };

/** Instants in Unix ms. */
export function stateOfUser({ isErased, liveKeys, validUntil }: UserFacts, now: number): UserState {
  if (isErased) return 'erased';
  if (liveKeys === 0) return 'revoked';
  return now >= validUntil ? 'expired' : 'active';
}

type KeyFacts = { revokedAt: number | null; expiresAt: number | null; replacedAt: number | null };

/** Of the key alone, whatever its user's state is. */
export function stateOfKey({ revokedAt, expiresAt, replacedAt }: KeyFacts, now: number): KeyState {
  if (revokedAt !== null && revokedAt <= now) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return replacedAt === null ? 'active' : 'replaced';
}
