import { iso } from '#domain/clock';
import { Problem } from '#problems';
import type { KeyHolder } from '#stores/quota/users';

export const unknownKey = () =>
  new Problem('api_key_invalid', 'No user has this API key: check it for a slip, or register for one.');

/** Why a key may not be used any more; undefined while it may. */
export function endOf({ revokedAt, expiresAt, user }: KeyHolder, now: number) {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && now >= expiresAt) return 'replaced';
  return now >= user.validUntil ? 'expired' : undefined;
}

/** Throws for a key that was revoked, whose grace is over after a rotation, or whose user has not renewed in time. */
export function refuseEnded(holder: KeyHolder, now: number, allowExpired: boolean): void {
  const end = endOf(holder, now);
  if (end === 'revoked') throw new Problem('api_key_revoked', 'This API key was revoked.');
  if (end === 'replaced')
    throw new Problem('api_key_revoked', 'This API key was replaced by another, and its grace is over.');
  if (end === undefined || allowExpired) return;
  const detail = `This API key expired at ${iso(holder.user.validUntil)}: renew it with POST /v1/user/renew.`;
  throw new Problem('api_key_expired', detail);
}

/** Throws for a key that another has replaced: it only reads. */
export function refuseReplaced({ replacedAt }: KeyHolder): void {
  if (replacedAt === undefined) return;
  const detail = 'This API key was replaced by another and only reads: use the new one.';
  throw new Problem('api_key_revoked', detail);
}
