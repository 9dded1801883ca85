import { makeButton } from '../../pages/dom.ts';
import { toError } from '../../pages/problem.ts';
import { errorNote } from '../api/problem.ts';

/**
 * Loads the content of a panel and shows errors, with a button that repeats the load. Only the newest load writes, so a
 * slow response never replaces the content of a later request.
 */
export function openLoader(panel: HTMLElement, problem: Element) {
  let turn = 0;

  async function load<T>(read: () => Promise<T>, write: (value: T) => void): Promise<void> {
    turn += 1;
    const ownTurn = turn;
    panel.setAttribute('aria-busy', 'true');
    try {
      const value = await read();
      if (ownTurn !== turn) return;
      problem.replaceChildren();
      write(value);
    } catch (thrown) {
      if (ownTurn !== turn) return;
      const again = makeButton('Try again', () => void load(read, write), 'small');
      problem.replaceChildren(errorNote(toError(thrown), again));
    } finally {
      if (ownTurn === turn) panel.setAttribute('aria-busy', 'false');
    }
  }

  return load;
}
