import { MINUTE } from '#core/clock';
import type { FailoverState } from '#prices/archive/failover-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { ageAt } from '#upstream/freshness';

/** Good answers in a row after which the first source is told again. */
const GOOD_ANSWERS = 2;
/** How much older than twice its interval the newest sample of a good answer may be, in ms. */
const BEHIND = 10 * MINUTE;
/** `next_answered`: the source after the first gave a good answer. `isSound` is about the first (`isSound` below). */
export type FailoverEvent =
  | { kind: 'first_answered' }
  | { kind: 'first_failed' }
  | { kind: 'next_answered'; source: MarketSourceName; isSound: boolean };

/**
 * Who is told after an event. The next source takes over when it has answered while the first is not sound, so that a
 * source that is down as well is never told; the first comes back after two good answers in a row.
 */
export function nextTold(
  { told, goodAnswers }: Pick<FailoverState, 'told' | 'goodAnswers'>,
  event: FailoverEvent,
  first: MarketSourceName,
): Pick<FailoverState, 'told' | 'goodAnswers'> {
  if (event.kind === 'next_answered') {
    return told === first && !event.isSound ? { told: event.source, goodAnswers: 0 } : { told, goodAnswers };
  }
  if (told === first || event.kind === 'first_failed') return { told, goodAnswers: 0 };
  const good = goodAnswers + 1;
  return good >= GOOD_ANSWERS ? { told: first, goodAnswers: 0 } : { told, goodAnswers: good };
}

/**
 * Whether a source is sound: it can be asked, or its last good answer is not older than twice its interval.
 *
 * @param answeredAt when its last good answer came (Unix ms)
 * @param every its interval in ms
 */
export const isSound = (
  { answeredAt, every, canBeAsked }: { answeredAt: number | undefined; every: number; canBeAsked: boolean },
  now: number,
): boolean => canBeAsked || ageAt(answeredAt, now) <= 2 * every;

/** The age (ms) beyond which the newest sample of an answer shows that its source has stopped. */
export const frozenAfter = (every: number): number => 2 * every + BEHIND;
