import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '../domain/clock.ts';
import type { Answer } from './answer.ts';
import { isFresh } from './attempt.ts';
import type { Holdings } from './holdings.ts';
import { forgetStale } from './stale.ts';

/** For how long the same question has the same answer while nothing new is known, in ms. */
const RECALLED_FOR = SECOND;
/** What the bodies of the recalled answers may take of memory, in bytes. */
const RECALLED_BYTES = 16 * 1024 * 1024;

type Parts = { holdings: Pick<Holdings, 'generation'>; clock: Clock };
type Recalled = Answer & { holds: (now: number) => boolean };

/**
 * The answers of the last second, so that a question that thousands ask at once is thought about once. An answer
 * for which something had to be done, or could not be, is not recalled: the next one differs from it.
 */
export function createRecall({ holdings, clock }: Parts) {
  const answers = new LRUCache<string, Recalled>({
    maxSize: RECALLED_BYTES,
    sizeCalculation: ({ body }, question) => body.size() + question.length,
  });

  return {
    get(question: string): Answer | undefined {
      const known = answers.get(question);
      return known?.holds(clock.now()) ? known : undefined;
    },

    keep(question: string, answer: Answer): Answer {
      if (!isFresh(answer.filled)) return answer;
      const [at, generation] = [clock.now(), holdings.generation()];
      const holds = (now: number) => {
        const age = now - at;
        return age >= 0 && age < RECALLED_FOR && generation === holdings.generation();
      };
      const recalled = { ...answer, holds };
      forgetStale(answers, ({ holds }) => holds(at));
      answers.set(question, recalled);
      return recalled;
    },
  };
}
