import { byId } from './dom.ts';
import { openFaults } from './faults.ts';
import { onDateAt } from './format.ts';
import { problemNote, runOnce } from './problem.ts';

/** Runs `submit` if all fields are valid, and shows its text or error. Then resets the form unless `keeps` is set. */
export function onSubmit(
  form: HTMLFormElement,
  busyLabel: string,
  submit: (fields: FormData) => Promise<string | undefined>,
  { keeps = false } = {},
): void {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const problem = form.querySelector('.problem');
  if (!button || !problem) throw new Error('the form has no submit button or no element for errors');
  const label = button.textContent;
  const sent = form.querySelector('.sent');
  const faults = openFaults(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sent?.replaceChildren();
    problem.replaceChildren();
    if (!faults.check()) return;
    const fields = new FormData(form);
    void runOnce(
      button,
      problem,
      async () => {
        button.textContent = busyLabel;
        const text = await submit(fields).finally(() => {
          button.textContent = label;
        });
        if (!keeps) form.reset();
        sent?.replaceChildren(text ?? '');
      },
      (error) => (faults.showServiceErrors(error) ? '' : problemNote(error)),
    );
  });
}

export const fieldOf = (fields: FormData, name: string) => String(fields.get(name) ?? '');

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
