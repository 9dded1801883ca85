import { Isolated } from '../../pages/components/figures.tsx';
import { inCalls, onDateAt } from '../../pages/format.ts';
import type { OperatorKey, OperatorUser } from '../generated/records.ts';

type Named = Pick<OperatorUser, 'name' | 'key'>;

/** The name with the record number, because users choose their names: a name can look like that of another user. */
export const Identity = ({ of: { name, key } }: { of: Named }) =>
  name === null ? (
    <>User {key}</>
  ) : (
    <>
      <Isolated>{name}</Isolated> (user {key})
    </>
  );

/** The user in a list: the name as a link, the record number and the email address. */
export const UserCell = ({ user: { key, name, email } }: { user: OperatorUser }) => (
  <div class="identity">
    <a href={`#/users/${key}`}>
      <Isolated>{name ?? `User ${key}`}</Isolated>
    </a>
    <span class="soft">
      {email === null ? (
        'erased'
      ) : (
        <>
          User {key} · <Isolated>{email}</Isolated>
        </>
      )}
    </span>
  </div>
);

export const nameOfKey = ({ label, scopes, start, id }: OperatorKey): string => {
  const kind = label ?? (scopes.includes('account') ? 'Owner key' : 'Key without a label');
  return start === null ? `${kind} (${id})` : `${kind} ${start}…`;
};

export function lifeOfKey(key: OperatorKey): string {
  const parts = [
    `Created ${onDateAt(key.createdAt)}`,
    key.lastUsedAt ? `used ${onDateAt(key.lastUsedAt)}` : 'not used yet',
  ];
  if (key.replacedAt) parts.push(`replaced ${onDateAt(key.replacedAt)}`);
  if (key.revokedAt) parts.push(`revoked ${onDateAt(key.revokedAt)}`);
  else if (key.expiresAt) parts.push(`${key.state === 'expired' ? 'expired' : 'expires'} ${onDateAt(key.expiresAt)}`);
  return `${parts.join(', ')}.`;
}

export function periodInWords({ limit, credits }: Pick<OperatorUser, 'limit' | 'credits'>): string {
  return credits > 0 ? `${inCalls(limit)} and ${inCalls(credits)} of credit` : inCalls(limit);
}
