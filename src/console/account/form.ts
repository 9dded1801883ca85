import { runOnce } from '../problem.ts';

/** Marks the fields that an error names. */
function mark(form: HTMLFormElement, locations: readonly string[]): void {
  // `query.email`, `body.thresholds.0`.
  for (const name of locations.flatMap((location) => location.split(/\W+/))) {
    form.querySelector(`[name="${name}"]`)?.setAttribute('aria-invalid', 'true');
  }
}

/**
 * Runs `submit` with the form's fields; while it runs the form cannot be sent again, and errors are shown in it. A text
 * that `submit` resolves with is shown in the form, which is emptied unless `keeps`.
 */
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
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    sent?.replaceChildren();
    for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
    const error = await runOnce(button, problem, async () => {
      button.textContent = busyLabel;
      const text = await submit(fields).finally(() => {
        button.textContent = label;
      });
      if (!keeps) form.reset();
      sent?.replaceChildren(text ?? '');
    });
    mark(form, error?.errors.map(({ location }) => location) ?? []);
  });
}

/** The text of a field; empty where there is none. */
export const fieldOf = (fields: FormData, name: string) => String(fields.get(name) ?? '');
