import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#domain/clock';
import type { ArchiveCache } from '#services/market/archive-cache';
import { hadNothingToFetch } from '#services/upstream/fetch-outcome';
import type { Answer } from './answer.ts';
import { evictStale } from './evict.ts';

/** How long an answer is kept while nothing new is stored, in ms. */
const KEPT_FOR = SECOND;
/** The memory that the bodies of kept answers may take, in bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;

type Dependencies = { source: Pick<ArchiveCache, 'generation'>; clock: Clock };
type KeptAnswer = Answer & { holds: (now: number) => boolean };

/**
 * The answers of the last second, so that a question that thousands ask at once is answered once. An answer that
 * needed a fetch, or whose fetch failed, is not kept: the next one differs from it.
 */
export function createAnswerCache({ source, clock }: Dependencies) {
  const answers = new LRUCache<string, KeptAnswer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ body }, question) => body.size() + question.length,
  });

  return {
    get(question: string): Answer | undefined {
      const known = answers.get(question);
      return known?.holds(clock.now()) ? known : undefined;
    },

    keep(question: string, answer: Answer): Answer {
      if (!hadNothingToFetch(answer.outcome)) return answer;
      const [at, generation] = [clock.now(), source.generation()];
      const holds = (now: number) => {
        const age = now - at;
        return age >= 0 && age < KEPT_FOR && generation === source.generation();
      };
      const kept = { ...answer, holds };
      evictStale(answers, ({ holds }) => holds(at));
      answers.set(question, kept);
      return kept;
    },
  };
}
