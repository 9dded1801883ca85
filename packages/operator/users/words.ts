import { make } from '../../pages/dom.ts';
import { inCalls, onDateAt } from '../../pages/format.ts';
import { isolated, type Phrase, phrase } from '../../pages/phrase.ts';
import type { OperatorKey, OperatorUser } from '../generated/records.ts';

type Named = Pick<OperatorUser, 'name' | 'key'>;

export const nameOf = ({ name, key }: Named): HTMLElement => isolated(name ?? `User ${key}`);

/** The name with the record number, because users choose their names: a name can look like that of another user. */
export const identityOf = ({ name, key }: Named): Phrase =>
  name === null ? `User ${key}` : phrase`${isolated(name)} (user ${String(key)})`;

const BAD = ['suspended', 'failing', 'given_up', 'exhausted', 'revoked'];
const GOOD = ['active', 'working'];

/** A state as a tag. The words carry the meaning; the color only repeats it. */
export function stateTag(state: string, words = state): HTMLElement {
  const level = BAD.includes(state) ? 'bad' : GOOD.includes(state) ? 'good' : 'neutral';
  return make('span', { class: 'tag', 'data-level': level }, words);
}

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
