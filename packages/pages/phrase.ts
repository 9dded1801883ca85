import { make } from './dom.ts';

/** A sentence. It is an element if it contains names or texts that users or operators chose. */
export type Phrase = string | HTMLElement;

/** Isolates a text that a user or an operator chose, so that it cannot change the order of the text around it. */
export const isolated = (text: string): HTMLElement => make('bdi', {}, text);

/** A tag for template literals that writes a sentence with elements. */
export const phrase = (texts: TemplateStringsArray, ...values: readonly Phrase[]): Phrase =>
  make('span', {}, ...texts.flatMap((text, place) => [text, values[place] ?? '']));
