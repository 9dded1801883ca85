import { OWNER_SCOPES } from '#accounts/keys/api-key';
import { accountSuspended } from '#accounts/keys/suspension';
import type { KeyHolder } from '#accounts/keys/user-store';
import { iso } from '#core/clock';
import { Problem } from '#core/problems';
import type { WantedScope } from '#server/gate';

export const unknownKey = () =>
  new Problem('api_key_invalid', 'This API key does not exist. Check the key for typos, or register for a new key.');

/** `over`: the key has expired. `suspended` and `expired`: its user is suspended, or the user's term has ended. */
export type KeyEnd = 'revoked' | 'replaced' | 'over' | 'suspended' | 'expired';

export function endedKey(end: KeyEnd, { expiresAt, user }: KeyHolder): Problem {
  if (end === 'revoked') return new Problem('api_key_revoked', 'This API key was revoked.');
  if (end === 'replaced') {
    const detail = 'This API key was replaced, and its grace period has ended.';
    return new Problem('api_key_revoked', detail);
  }
  if (end === 'suspended' && user.suspension) return accountSuspended(user.suspension);
  const [at, remedy] =
    end === 'over'
      ? [expiresAt as number, 'Create another key with the owner key.']
      : [user.validUntil, 'Renew it with POST /v1/user/renew.'];
  return new Problem('api_key_expired', `This API key expired at ${iso(at)}. ${remedy}`);
}

export const notActive = () =>
  new Problem(
    'api_key_revoked',
    'This API key was replaced or revoked, or its user was deleted. Use the current owner key.',
  );

/** The problem of an operator's change to an erased user. */
export const userErased = () => new Problem('user_erased', 'The user was erased and cannot be changed.');

export function missingScope(wanted: WantedScope): Problem {
  const others = wanted === 'account' ? '' : 'a key with this scope, or ';
  const detail =
    `This API key does not have the scope ${wanted}, which this endpoint requires. Use ${others}the owner ` +
    `key (scopes: ${OWNER_SCOPES.join(', ')}).`;
  return new Problem('scope_missing', detail, { members: { scope: wanted } });
}
