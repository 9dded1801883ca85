/** Without a word of the service the first pause is so long; it doubles with each try, up to the longest. In ms. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** What the service asks for is believed up to a day. */
const LONGEST_ASKED_MS = 86_400_000;

/** The pause before the next try, in ms, after `tries` failures; `retryAfter` is in seconds. */
export const pauseAfter = (tries: number, retryAfter = 0): number =>
  Math.max(
    Math.min(retryAfter * 1000, LONGEST_ASKED_MS),
    Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS),
  );
