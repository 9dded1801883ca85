import type { Answer } from './answer.ts';

/** Texts are kept as long as they have no more characters than this together, the newest in any case. */
const MOST_CHARACTERS = 4_000_000;

/** What is told of the results of calls: for an object as long as it lives, for a text while it is one of the newest. */
export function createAnswers() {
  const ofObjects = new WeakMap<object, Answer>();
  const ofTexts = new Map<string, Answer>();
  let characters = 0;

  function forget(text: string): void {
    if (ofTexts.delete(text)) characters -= text.length;
  }

  function keepText(text: string, answer: Answer): void {
    forget(text);
    ofTexts.set(text, answer);
    characters += text.length;
    for (const oldest of ofTexts.keys()) {
      if (characters <= MOST_CHARACTERS || oldest === text) return;
      forget(oldest);
    }
  }

  return {
    keep(result: unknown, answer: Answer): void {
      if (typeof result === 'string') keepText(result, answer);
      else if (typeof result === 'object' && result !== null) ofObjects.set(result, answer);
    },
    of: (result: object | string): Answer | undefined =>
      typeof result === 'string' ? ofTexts.get(result) : ofObjects.get(result),
  };
}
