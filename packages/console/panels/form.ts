import { openFaults } from '../core/faults.ts';
import { problemNote, runOnce } from '../core/problem.ts';

/** Runs `submit` once the fields are valid, shows its faults or the text it returns, and resets unless `keeps`. */
export function onSubmit(
  form: HTMLFormElement,
  busyLabel: string,
  submit: (fields: FormData) => Promise<string | undefined>,
  { keeps = false } = {},
): void {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const problem = form.querySelector('.problem');
  if (!button || !problem) throw new Error('the form has no button, or no place for errors');
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
      (error) => (faults.tell(error) ? '' : problemNote(error)),
    );
  });
}

export const fieldOf = (fields: FormData, name: string) => String(fields.get(name) ?? '');
