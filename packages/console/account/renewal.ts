import { onDateAt } from '../core/format.ts';
import type { Access } from '../session/session.ts';

/** When the account can be renewed; undefined if now. `resetsAt` is the end of the running period. */
export const renewableFrom = (validUntil: Date, resetsAt: Date, now: number): Date | undefined =>
  now < validUntil.getTime() && validUntil > resetsAt ? resetsAt : undefined;

/** `resetsAt` is the end of the running period, undefined where it is not known. */
type Known = { access: Access; validUntil: Date; resetsAt: Date | undefined };
/** `from` is when the account can be renewed, if it is known and to come. */
export type Renewal = { isPossible: boolean; from: Date | undefined };

/** Whether the key can renew the account now. While that is unknown, only an expired account is taken to be renewable. */
export function renewalOf({ access, validUntil, resetsAt }: Known, now: number): Renewal {
  if (validUntil.getTime() <= now) return { isPossible: access !== 'none', from: undefined };
  const from = resetsAt && renewableFrom(validUntil, resetsAt, now);
  return { isPossible: access === 'owner' && resetsAt !== undefined && from === undefined, from };
}

export const expiryInWords = (subject: 'key' | 'account', validUntil: Date, now: number): string =>
  `The ${subject} ${validUntil.getTime() > now ? 'expires' : 'expired'} on ${onDateAt(validUntil)}.`;
