import { HOUR, MINUTE, SECOND } from '#core/clock';

/** How long a message is tried to be delivered, in ms from when it was added. */
export const GIVEN_UP_AFTER = 24 * HOUR;

/** Between one attempt and the next, in ms: twice as long each time. */
const PAUSE = { first: 30 * SECOND, longest: 4 * HOUR };
/** A pause may be longer by so much of it, so that what failed together does not come back together. */
const SPREAD = 0.2;
/** No attempt follows another sooner. */
const LEAST = MINUTE / 2;

/**
 * The pause before the next attempt, in ms; undefined when the message is to be given up. The last attempt is made when
 * its time is over, however long the pause before would be.
 * @param attempts how many were made
 * @param age of the message, in ms
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, age: number, random: number): number | undefined {
  if (age >= GIVEN_UP_AFTER) return undefined;
  const pause = Math.min(PAUSE.first * 2 ** (attempts - 1), PAUSE.longest) * (1 + SPREAD * random);
  return Math.ceil(Math.max(LEAST, Math.min(pause, GIVEN_UP_AFTER - age)));
}

/** A message was refused for good: another attempt would be in vain. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}
