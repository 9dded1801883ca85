/** Without a word of the service the first pause is so long; it doubles with each try, up to the longest. In ms. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** What the service asks for is believed up to a day. */
const LONGEST_ASKED_MS = 86_400_000;

/**
 * How long to wait before the next try, in ms.
 * @param tries how many have failed, at least one
 * @param retryAfter what the service asks for, in seconds
 */
export const pauseAfter = (tries: number, retryAfter = 0): number =>
  Math.max(
    Math.min(retryAfter * 1000, LONGEST_ASKED_MS),
    Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS),
  );
