import { byId } from '../../pages/dom.ts';
import type { Api } from '../api/api.ts';
import type { Phrase } from './phrase.ts';
import type { Ask } from './question.ts';
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

export type View = {
  show: (place: Place) => Promise<void>;
  /** Removes all data, at the end of a session. */
  clear: () => void;
};

export function openReport() {
  const notice = byId('notice');
  return (text: Phrase, level: 'good' | 'bad' = 'good'): void => {
    notice.dataset.level = level;
    notice.replaceChildren(text);
  };
}
