import { MINUTE } from '#core/clock';
import type { FailoverState } from '#prices/archive/failover-store';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { ageAt } from '#upstream/freshness';

/** Good answers in a row after which the primary source is served again. */
const GOOD_ANSWERS = 2;
/** How much older than twice its interval the newest sample of a good answer may be, in ms. */
const BEHIND = 10 * MINUTE;
/** `fallback_answered`: the fallback gave a good answer. `isSound` is about the primary source (`isSound` below). */
export type FailoverEvent =
  | { kind: 'primary_answered' }
  | { kind: 'primary_failed' }
  | { kind: 'fallback_answered'; source: MarketSourceName; isSound: boolean };

/**
 * Which source is served after an event. The fallback takes over when it has answered while the primary source is not
 * sound, so that a fallback that is down as well is never served; the primary source resumes after two good answers in a row.
 */
export function nextTold(
  { told, goodAnswers }: Pick<FailoverState, 'told' | 'goodAnswers'>,
  event: FailoverEvent,
): Pick<FailoverState, 'told' | 'goodAnswers'> {
  if (event.kind === 'fallback_answered') {
    return told === PRIMARY_SOURCE && !event.isSound
      ? { told: event.source, goodAnswers: 0 }
      : { told, goodAnswers };
  }
  if (told === PRIMARY_SOURCE || event.kind === 'primary_failed') return { told, goodAnswers: 0 };
  const good = goodAnswers + 1;
  return good >= GOOD_ANSWERS ? { told: PRIMARY_SOURCE, goodAnswers: 0 } : { told, goodAnswers: good };
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
