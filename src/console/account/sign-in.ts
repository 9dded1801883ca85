import type { User } from '../client/index.ts';
import { byId } from './dom.ts';
import { problemNote, toError } from './problem.ts';
import type { Session } from './session.ts';

const field = (form: HTMLFormElement, name: string) => {
  const input = form.elements.namedItem(name);
  return input instanceof HTMLInputElement || input instanceof RadioNodeList ? input.value : '';
};

/** Runs a form: while it is under way it cannot be sent again, and what goes wrong is told in it. */
function onSubmit(form: HTMLFormElement, busyLabel: string, act: () => Promise<void>): void {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const problem = form.querySelector('.problem');
  if (!button || !problem) throw new Error('the form has no button, or nowhere to tell what went wrong');
  const label = button.textContent;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    // Not `disabled`, which would take the focus away.
    button.setAttribute('aria-disabled', 'true');
    button.textContent = busyLabel;
    problem.replaceChildren();
    for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
    try {
      await act();
    } catch (thrown) {
      const error = toError(thrown);
      problem.replaceChildren(problemNote(error));
      for (const { location } of error.errors) {
        form.querySelector(`[name="${location.split('.').at(-1)}"]`)?.setAttribute('aria-invalid', 'true');
      }
    } finally {
      button.removeAttribute('aria-disabled');
      button.textContent = label;
    }
  });
}

type Ways = {
  /** A user was made: the key is to be shown. */
  onIssued: (user: User) => void;
  /** A key that was brought is good enough to go on with. */
  onOpened: () => void;
};

/** The way in: a new key, or one that is there already. */
export function openEntry(session: Session, { onIssued, onOpened }: Ways) {
  const signUp = byId('sign-up', HTMLFormElement);
  onSubmit(signUp, 'Making a key…', async () => {
    const [name, email] = [field(signUp, 'name'), field(signUp, 'email')];
    const plan = field(signUp, 'plan') === 'yearly' ? 'yearly' : 'monthly';
    onIssued(await session.anyone.createUser({ name, email, plan }));
    signUp.reset();
  });

  const signIn = byId('sign-in', HTMLFormElement);
  onSubmit(signIn, 'Opening…', async () => {
    await session.open(field(signIn, 'key').trim());
    const remember = signIn.elements.namedItem('remember');
    if (remember instanceof HTMLInputElement && remember.checked) session.setRemembered(true);
    signIn.reset();
    onOpened();
  });

  return {
    /** Tells in the form for a key what is wrong with the one that was remembered. */
    refuse(thrown: unknown): void {
      signIn.querySelector('.problem')?.replaceChildren(problemNote(toError(thrown)));
    },
  };
}
