import { DAY } from '#core/clock';

/** How many keys of a user may be alive at once, those in the grace of a rotation included. */
export const MAX_KEYS_PER_USER = 20;
/** How many dead keys of a user stay stored: the newest. */
export const MAX_DEAD_KEYS_PER_USER = 30;
/** How long a dead key stays stored, so that whoever uses it is told why it ended, in ms. */
export const DEAD_KEYS_STORED_FOR = 30 * DAY;

/** How long a rotated key goes on for reading, in seconds: unless told otherwise, and at the most. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;
