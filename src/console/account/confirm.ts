import { byId } from './dom.ts';
import { problemNote, toError } from './problem.ts';

type Question = {
  title: string;
  text: string;
  yes: string;
  /** What is done cannot be undone. */
  isGrave?: boolean;
  /** Asks how long the old key goes on. */
  asksGrace?: boolean;
  /** Runs while the dialog is open; what goes wrong is told in it. `graceSeconds` is what was chosen. */
  act: (graceSeconds: number) => Promise<void>;
};

/** Asks before something is done, and stays until it is. */
export function openConfirm() {
  const dialog = byId('confirm', HTMLDialogElement);
  const yes = byId('confirm-yes');
  const problem = byId('confirm-problem');
  const grace = byId('confirm-grace', HTMLSelectElement);
  let question: Question | undefined;

  byId('confirm-no').addEventListener('click', () => dialog.close());
  yes.addEventListener('click', async () => {
    if (!question || yes.getAttribute('aria-disabled') === 'true') return;
    yes.setAttribute('aria-disabled', 'true');
    problem.replaceChildren();
    try {
      await question.act(Number(grace.value));
      dialog.close();
    } catch (error) {
      problem.replaceChildren(problemNote(toError(error)));
    } finally {
      yes.removeAttribute('aria-disabled');
    }
  });

  return (next: Question): void => {
    question = next;
    byId('confirm-title').textContent = next.title;
    byId('confirm-text').textContent = next.text;
    yes.textContent = next.yes;
    yes.classList.toggle('grave', next.isGrave === true);
    byId('confirm-choice').hidden = next.asksGrace !== true;
    problem.replaceChildren();
    dialog.showModal();
    byId('confirm-no').focus();
  };
}

export type Confirm = ReturnType<typeof openConfirm>;
