import type { Plan, User } from '../../client/index.ts';
import { byId } from '../dom.ts';
import { problemNote, runOnce, toError } from '../problem.ts';
import type { Session } from './session.ts';

/** Runs `submit` with the form's fields; while it runs the form cannot be sent again, and errors are shown in it. */
function onSubmit(
  form: HTMLFormElement,
  busyLabel: string,
  submit: (field: (name: string) => string) => Promise<void>,
): void {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const problem = form.querySelector('.problem');
  if (!button || !problem) throw new Error('the form has no button, or no place for errors');
  const label = button.textContent;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
    const error = await runOnce(button, problem, async () => {
      button.textContent = busyLabel;
      const sent = submit((name) => String(fields.get(name) ?? ''));
      await sent.finally(() => {
        button.textContent = label;
      });
      form.reset();
    });
    for (const { location } of error?.errors ?? []) {
      form.querySelector(`[name="${location.split('.').at(-1)}"]`)?.setAttribute('aria-invalid', 'true');
    }
  });
}

type Events = {
  /** A user registered, and the new key has to be shown. */
  onRegistered: (user: User) => void;
  onSignedIn: () => void;
};

/** The two forms of the first view: get a key, or sign in with one. */
export function openSignIn(session: Session, { onRegistered, onSignedIn }: Events) {
  onSubmit(byId('sign-up', HTMLFormElement), 'Creating key…', async (field) => {
    // The page offers the plans that there are, and nothing else.
    const plan = field('plan') as Plan;
    const user = await session.anonymous.createUser({ name: field('name'), email: field('email'), plan });
    if (user.apiKey !== undefined) onRegistered(user);
  });

  const signIn = byId('sign-in', HTMLFormElement);
  onSubmit(signIn, 'Signing in…', async (field) => {
    await session.signIn(field('key').trim());
    if (field('remember') !== '') session.setRemembered(true);
    onSignedIn();
  });

  return {
    /** Shows in the sign-in form what is wrong with the remembered key. */
    showProblem(thrown: unknown): void {
      signIn.querySelector('.problem')?.replaceChildren(problemNote(toError(thrown)));
    },
  };
}
