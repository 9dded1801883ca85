import type { Clock } from '#core/clock';
import type { Answer } from './answer.ts';
import { type Body, bodyOf, createBodies, longBodyOf } from './answer-body.ts';
import { createAnswerCache } from './answer-cache.ts';

type Dependencies = { source: Parameters<typeof createAnswerCache>[0]['source']; clock: Clock };

/** The rows of a window: `version` names all of them, undefined for rows whose bodies are not kept. */
type Rows = { version: string | undefined; isWide: boolean };

/** The answers of a service to windows of a series: each question is answered once for all who ask it at a time. */
export function createAnswers({ source, clock }: Dependencies) {
  const cache = createAnswerCache({ source, clock });
  const bodies = createBodies();
  /** Long answers that are being made, for whoever asks the same meanwhile. */
  const underWay = new Map<string, Promise<Answer>>();

  return {
    cache,
    bodies,

    /** @param pieces the text; of a wide window it is read later, when the rows may have been replaced */
    bodyOf(
      question: string,
      { version, isWide }: Rows,
      pieces: () => Iterable<string>,
    ): Body | Promise<Body> {
      if (isWide)
        return version === undefined ? longBodyOf(pieces) : bodies.keptLong(question, version, pieces);
      const text = () => [...pieces()].join('');
      return version === undefined ? bodyOf(text()) : bodies.kept(question, version, text);
    },

    /** The answer that was given to the same question a moment ago, or that is being made at length, or a new one. */
    ask(question: string, isLong: () => boolean, make: () => Promise<Answer>): Answer | Promise<Answer> {
      const known = cache.get(question) ?? underWay.get(question);
      if (known) return known;
      const made = make().then((answer) => cache.keep(question, answer));
      if (isLong()) {
        const forget = () => underWay.delete(question);
        underWay.set(question, made);
        made.then(forget, forget);
      }
      return made;
    },
  };
}

export type Answers = ReturnType<typeof createAnswers>;
