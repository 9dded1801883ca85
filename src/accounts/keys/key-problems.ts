import { OWNER_SCOPES } from '#accounts/keys/api-key';
import type { KeyHolder } from '#accounts/keys/user-store';
import { iso } from '#core/clock';
import { Problem } from '#core/problems';
import type { WantedScope } from '#server/gate';

export const unknownKey = () =>
  new Problem('api_key_invalid', 'This API key does not exist. Check it for typing errors, or register for a key.');

/** Returns why a key is not usable, or undefined. `over`: the key has expired. `expired`: its user's term has ended. */
export function endOf({ revokedAt, replacedAt, expiresAt, user }: KeyHolder, now: number) {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && now >= expiresAt) return replacedAt === undefined ? 'over' : 'replaced';
  return now >= user.validUntil ? 'expired' : undefined;
}

/** Throws for a key that has ended. `allowExpired` accepts the keys of an expired user. */
export function refuseEnded(holder: KeyHolder, now: number, allowExpired: boolean): void {
  const end = endOf(holder, now);
  if (end === 'revoked') throw new Problem('api_key_revoked', 'This API key was revoked.');
  if (end === 'replaced')
    throw new Problem('api_key_revoked', 'This API key was replaced by another key, and its grace period has ended.');
  if (end === 'over') {
    const detail = `This API key expired at ${iso(holder.expiresAt ?? now)}. Create another key with the owner key.`;
    throw new Problem('api_key_expired', detail);
  }
  if (end === undefined || allowExpired) return;
  const detail = `This API key expired at ${iso(holder.user.validUntil)}. Renew it with POST /v1/user/renew.`;
  throw new Problem('api_key_expired', detail);
}

/** The problem of a requesting owner key that is no longer active in the database. */
export const notActive = () =>
  new Problem(
    'api_key_revoked',
    'This API key was replaced or revoked, or the user was erased. Use the current owner key.',
  );

export const covers = ({ scopes }: Pick<KeyHolder, 'scopes'>, wanted: WantedScope): boolean =>
  wanted === 'any' || scopes.includes(wanted);

/** Throws `scope_missing`. */
export function refuseUncovered(holder: KeyHolder, wanted: WantedScope): void {
  if (covers(holder, wanted)) return;
  const others = wanted === 'account' ? '' : 'a key with this scope, or ';
  const detail =
    `This endpoint requires the scope ${wanted}, which this API key does not have. Use ${others}the owner key, ` +
    `which has ${OWNER_SCOPES.join(', ')}.`;
  throw new Problem('scope_missing', detail, { members: { scope: wanted } });
}
