/** In ms. */
export const DAY = 86_400_000;

/** The UTC date of an instant (Unix ms), as YYYY-MM-DD. */
export const isoDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);
