/**
 * When the account can be renewed, undefined if it can be now: once it has lapsed, or in the last period that it is valid
 * for. `resetsAt` is the end of the running period.
 */
export const renewableFrom = (validUntil: Date, resetsAt: Date, now: number): Date | undefined =>
  now < validUntil.getTime() && validUntil > resetsAt ? resetsAt : undefined;
