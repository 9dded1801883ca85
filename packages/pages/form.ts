import type { QuotientError } from '../client/index.ts';
import { openFaults } from './faults.ts';
import { problemNote, runOnce } from './problem.ts';

/**
 * Runs `submit` if all fields are valid. Shows the text that it returns, if any, or its error. Then resets the form.
 */
export function onSubmit(
  form: HTMLFormElement,
  busyLabel: string,
  submit: (fields: FormData) => Promise<unknown>,
  /** If `keeps` is set, the form is not reset. */
  { keeps = false, note = problemNote }: { keeps?: boolean; note?: (error: QuotientError) => Node } = {},
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
        sent?.replaceChildren(typeof text === 'string' ? text : '');
      },
      (error) => (faults.showServiceErrors(error) ? '' : note(error)),
    );
  });
}

export const fieldOf = (fields: FormData, name: string) => String(fields.get(name) ?? '');
