import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#core/clock';
import { hadNothingToFetch } from '#upstream/fetch-outcome';
import type { Answer } from './answer.ts';

/** How long an answer is kept while nothing new is stored, in ms. */
const KEPT_FOR = SECOND;
/** The memory that the bodies of kept answers may take, in bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Evicts entries that no longer hold, least recently used first, up to one that does: entries that are short-lived would
 * otherwise stay until the cache is full.
 */
export function evictStale<Value extends object>(
  cache: LRUCache<string, Value>,
  holds: (value: Value) => boolean,
): void {
  for (const key of cache.rkeys()) {
    const value = cache.peek(key);
    if (value !== undefined && holds(value)) return;
    cache.delete(key);
  }
}

/** What answers are made from; its `generation` is another one after each change. */
type Source = { generation(): number };
type Dependencies = { source: Source; clock: Clock };
type Kept = { answer: Answer; at: number; generation: number };

/**
 * The answers of the last second, so that a question that thousands ask at once is answered once. An answer that
 * needed a fetch, or whose fetch failed, is not kept: the next one differs from it.
 */
export function createAnswerCache({ source, clock }: Dependencies) {
  const answers = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ answer: { body } }, question) => body.size() + question.length,
  });

  const holds = ({ at, generation }: Kept, now: number): boolean =>
    now >= at && now - at < KEPT_FOR && generation === source.generation();

  function get(question: string, now = clock.now()): Answer | undefined {
    const known = answers.get(question);
    return known && holds(known, now) ? known.answer : undefined;
  }

  return {
    get,

    keep(question: string, made: Answer): Answer {
      if (!hadNothingToFetch(made.outcome)) return made;
      const answer = { ...made, recall: (now: number) => get(question, now) };
      const at = clock.now();
      evictStale(answers, (kept) => holds(kept, at));
      answers.set(question, { answer, at, generation: source.generation() });
      return answer;
    },
  };
}
