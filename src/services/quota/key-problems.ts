import { Problem } from '#problems';
import type { KeyHolder } from '#stores/quota/users';

export const unknownKey = () =>
  new Problem('api_key_invalid', 'No user has this API key: check it for a slip, or register for one.');

const isGraceOver = ({ expiresAt }: KeyHolder, now: number) => expiresAt !== undefined && now >= expiresAt;
const isExpired = ({ user }: KeyHolder, now: number) => now >= user.validUntil;

/** Throws for a key that is over: revoked, or replaced by another and its grace at an end. */
export function refuseEnded(holder: KeyHolder, now: number): void {
  if (holder.revokedAt !== undefined) throw new Problem('api_key_revoked', 'This API key was revoked.');
  if (isGraceOver(holder, now)) {
    throw new Problem('api_key_revoked', 'This API key was replaced by another, and its grace is over.');
  }
}

/** Throws for a key whose user has not renewed in time. */
export function refuseExpired(holder: KeyHolder, now: number): void {
  if (!isExpired(holder, now)) return;
  const since = new Date(holder.user.validUntil).toISOString();
  throw new Problem(
    'api_key_expired',
    `This API key expired at ${since}: renew it with POST /v1/user/renew.`,
  );
}

/** Whether neither of these would throw. */
export const isGood = (holder: KeyHolder, now: number): boolean =>
  holder.revokedAt === undefined && !isGraceOver(holder, now) && !isExpired(holder, now);

/** Throws for a key that another has replaced: it only reads. */
export function refuseReplaced({ replacedAt }: KeyHolder): void {
  if (replacedAt === undefined) return;
  throw new Problem(
    'api_key_revoked',
    'This API key was replaced by another and only reads: use the new one.',
  );
}
