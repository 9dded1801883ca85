import { make } from './dom.ts';

/** A sentence. It contains elements if names or texts that users or operators chose are part of it. */
export type Phrase = string | HTMLElement;

/** Isolates a text that a user or an operator chose, so that it cannot change the order of the text around it. */
export const isolated = (text: string): HTMLElement => make('bdi', {}, text);

/** Writes a sentence with elements: a tag for template literals. */
export const phrase = (texts: TemplateStringsArray, ...values: readonly Phrase[]): Phrase =>
  make('span', {}, ...texts.flatMap((text, place) => [text, values[place] ?? '']));
