import { iso } from '#core/clock';
import { Problem } from '#core/problems';
import type { RouteFacts } from '#server/gate';
import { accountSuspended, type User } from '#users/user';
import { type HeldTerms, heldTerms } from './terms/terms.ts';

/** A key and its user; instants in Unix ms. */
export type KeyHolder = HeldTerms & {
  hash: string;
  id: number;
  user: User;
  /** From this time on, the key may only read. */
  replacedAt: number | undefined;
  revokedAt: number | undefined;
};

export type HolderRow = Parameters<typeof heldTerms>[0] &
  Pick<KeyHolder, 'id'> &
  Record<'replacedAt' | 'revokedAt', Date | null> & { hash: Uint8Array };

export const toHolder = (user: User, row: HolderRow): KeyHolder => ({
  hash: Buffer.from(row.hash).toString('hex'),
  id: row.id,
  user,
  replacedAt: row.replacedAt?.getTime(),
  revokedAt: row.revokedAt?.getTime(),
  ...heldTerms(row),
});

export const unknownKey = () =>
  new Problem('api_key_invalid', 'This API key does not exist. Check the key for typos, or register for a new key.');

/** `over`: the key itself has expired. `suspended`: its user is suspended. `expired`: its user's term has ended. */
type KeyEnd = 'revoked' | 'replaced' | 'over' | 'suspended' | 'expired';

function endedKey(end: KeyEnd, { expiresAt, user }: KeyHolder): Problem {
  if (end === 'revoked') return new Problem('api_key_revoked', 'This API key was revoked.');
  if (end === 'replaced') {
    return new Problem('api_key_revoked', 'This API key was replaced by another key, and is no longer accepted.');
  }
  if (end === 'suspended' && user.suspension) return accountSuspended(user.suspension);
  const [at, remedy] =
    end === 'over'
      ? [expiresAt as number, 'Create another key with the owner key.']
      : [user.validUntil, 'Renew it with POST /v1/user/renew.'];
  return new Problem('api_key_expired', `This API key expired at ${iso(at)}. ${remedy}`);
}

export const hasEnded = ({ revokedAt, replacedAt }: KeyHolder): boolean => (revokedAt ?? replacedAt) !== undefined;

/** The states of a user in which some routes still accept the user's keys. */
type Tolerated = Pick<RouteFacts, 'allowExpired' | 'allowSuspended'>;

/** Returns why a key is not usable, or undefined. */
export function endOf(
  { revokedAt, replacedAt, expiresAt, user }: KeyHolder,
  now: number,
  { allowExpired, allowSuspended }: Tolerated = {},
): KeyEnd | undefined {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && now >= expiresAt) return replacedAt === undefined ? 'over' : 'replaced';
  if (user.suspension !== undefined && !allowSuspended) return 'suspended';
  return now >= user.validUntil && !allowExpired ? 'expired' : undefined;
}

export function refuseEnded(holder: KeyHolder, now: number, tolerated: Tolerated): void {
  const end = endOf(holder, now, tolerated);
  if (end !== undefined) throw endedKey(end, holder);
}

/** A `replaced` key may only read, until its grace period ends. */
export const KEY_STATES = ['active', 'replaced', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

type KeyFacts = { revokedAt: number | null; expiresAt: number | null; replacedAt: number | null };

/** Returns the state of the key alone, regardless of its user's state. */
export function stateOfKey({ revokedAt, expiresAt, replacedAt }: KeyFacts, now: number): KeyState {
  if (revokedAt !== null && revokedAt <= now) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return replacedAt === null ? 'active' : 'replaced';
}
