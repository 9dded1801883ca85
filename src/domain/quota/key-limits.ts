/** How many keys of a user may be alive at once, those in the grace of a rotation included. */
export const MAX_KEYS_PER_USER = 20;
/** How many dead keys of a user stay stored: the newest. */
export const MAX_DEAD_KEYS_PER_USER = 30;

/** How long a rotated key goes on for reading, in seconds: unless told otherwise, and at the most. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;
