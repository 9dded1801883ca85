import { byId } from '../../pages/dom.ts';
import type { Phrase } from '../../pages/phrase.ts';
import type { Ask } from '../../pages/question.ts';
import type { Api } from '../api/api.ts';
import type { Place } from './router.ts';

/** The dependencies of each view. */
export type Context = {
  api: Api;
  ask: Ask;
  /** Shows the result of a change above the view. */
  report: (text: Phrase, level?: 'good' | 'bad') => void;
  /** Opens the view of a fragment. */
  go: (fragment: string) => void;
};

/** Shows a view. */
export type View = (place: Place) => Promise<void>;

export function openReport() {
  const notice = byId('notice');
  return (text: Phrase, level: 'good' | 'bad' = 'good'): void => {
    notice.dataset.level = level;
    notice.replaceChildren(text);
  };
}
