import { fromNow, onDate } from '../../pages/format.ts';
import type { Access } from '../api/session.ts';

/** When renewal becomes possible, or undefined if it is possible now. `resetsAt` is the end of the current period. */
export const renewableFrom = (validUntil: Date, resetsAt: Date, now: number): Date | undefined =>
  now < validUntil.getTime() && validUntil > resetsAt ? resetsAt : undefined;

type Known = { access: Access; validUntil: Date; resetsAt: Date | undefined };
/** `from` is the time from which the account can be renewed, if known and in the future. */
export type Renewal = { isPossible: boolean; from: Date | undefined };

/** While the access is unknown, only an expired account counts as renewable. */
export function renewalOf({ access, validUntil, resetsAt }: Known, now: number): Renewal {
  if (validUntil.getTime() <= now) return { isPossible: access !== 'none', from: undefined };
  const from = resetsAt && renewableFrom(validUntil, resetsAt, now);
  return { isPossible: access === 'owner' && resetsAt !== undefined && from === undefined, from };
}

export const expiryInWords = (validUntil: Date, now: number): string =>
  `${validUntil.getTime() > now ? 'Expires' : 'Expired'} ${onDate(validUntil)} (${fromNow(validUntil, now)}).`;
