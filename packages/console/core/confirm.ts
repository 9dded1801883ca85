import { byId } from '../../pages/dom.ts';
import { onDateAt } from '../../pages/format.ts';
import { runOnce } from '../../pages/problem.ts';

type Question = {
  title: string;
  text: string;
  yes: string;
  isDangerous?: boolean;
  hasGrace?: boolean;
  /** Runs when the user confirms. The dialog closes on success, and otherwise shows the error. */
  act: (graceSeconds: number) => Promise<void>;
};

export function openConfirm() {
  const dialog = byId('confirm', HTMLDialogElement);
  const yes = byId('confirm-yes');
  const no = byId('confirm-no');
  const problem = byId('confirm-problem');
  const grace = byId('confirm-grace', HTMLSelectElement);
  let question: Question | undefined;

  function showGrace(): void {
    const seconds = Number(grace.value);
    const at = onDateAt(new Date(Date.now() + seconds * 1000));
    byId('confirm-grace-end').textContent = seconds > 0 ? `On ${at} (UTC).` : '';
  }
  grace.addEventListener('change', showGrace);

  no.addEventListener('click', () => dialog.close());
  yes.addEventListener('click', () =>
    runOnce(yes, problem, async () => {
      await question?.act(Number(grace.value));
      dialog.close();
    }),
  );

  return (next: Question): void => {
    question = next;
    byId('confirm-title').textContent = next.title;
    byId('confirm-text').textContent = next.text;
    yes.textContent = next.yes;
    yes.classList.toggle('dangerous', next.isDangerous === true);
    byId('confirm-grace-field').hidden = next.hasGrace !== true;
    showGrace();
    problem.replaceChildren();
    dialog.showModal();
    no.focus();
  };
}

export type Confirm = ReturnType<typeof openConfirm>;
