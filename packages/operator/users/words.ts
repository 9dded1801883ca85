import { make } from '../../pages/dom.ts';
import { inCalls, onDateAt } from '../../pages/format.ts';
import type { OperatorKey, OperatorUser } from '../generated/records.ts';

/** Users choose their names, so a name is isolated from the direction of the text around it. */
export const nameOf = ({ name, key }: Pick<OperatorUser, 'name' | 'key'>): string => name ?? `User ${key}`;

export const isolated = (text: string) => make('bdi', {}, text);

const BAD = ['suspended', 'failing', 'given_up', 'exhausted', 'revoked'];
const GOOD = ['active', 'working'];

/** A state as a tag. The words carry the meaning; the color only repeats it. */
export function stateTag(state: string): HTMLElement {
  const level = BAD.includes(state) ? 'bad' : GOOD.includes(state) ? 'good' : 'neutral';
  return make('span', { class: 'tag', 'data-level': level }, state.replace('_', ' '));
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
