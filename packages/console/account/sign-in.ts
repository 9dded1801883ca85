import type { Plan, User } from '../../client/index.ts';
import { byId } from '../core/dom.ts';
import { onDateAt } from '../core/format.ts';
import { problemNote, toError } from '../core/problem.ts';
import type { ServiceFacts } from '../core/storage.ts';
import { fieldOf, onSubmit } from '../panels/form.ts';
import type { Session } from '../session/session.ts';

type Events = {
  onRegistered: (user: User) => void;
  onSignedIn: () => void;
};

/** How one gets a key, by who may register. */
const WAYS: Readonly<Record<ServiceFacts['registration'], string>> = {
  open: 'You get an API key right away: no password, no confirmation e-mail.',
  verified: 'You get an API key once you have confirmed your e-mail address: no password.',
  closed: 'The operator of this service gives out the API keys.',
};

/** How long a key of the plan that is chosen is valid, from when on where that is not now. */
function termOf(form: HTMLFormElement, isVerified: boolean): string {
  const plan = form.querySelector<HTMLInputElement>('[name=plan]:checked');
  return `${plan?.dataset.term ?? ''}${isVerified ? ' from the confirmation' : ''}`;
}

/** The forms of the first view: get a key, sign in with one, or recover the account whose key is lost. */
export function openSignIn(session: Session, facts: ServiceFacts, { onRegistered, onSignedIn }: Events) {
  const isClosed = facts.registration === 'closed';
  byId('how-to-register').textContent = WAYS[facts.registration];
  byId('sign-up').hidden = isClosed;
  byId('registration-closed').hidden = !isClosed;
  byId('recovery').hidden = !facts.sendsMail;
  byId('no-recovery').hidden = facts.sendsMail;

  const signUp = byId('sign-up', HTMLFormElement);
  const isVerified = facts.registration === 'verified';
  function showValidity(): void {
    byId('sign-up-validity').textContent =
      `The key is valid for ${termOf(signUp, isVerified)}. Renew it in this console or with a call.`;
  }
  showValidity();
  signUp.addEventListener('change', showValidity);
  signUp.addEventListener('reset', () => queueMicrotask(showValidity));

  onSubmit(signUp, 'Creating key…', async (fields) => {
    // The page offers the plans that there are, and nothing else.
    const plan = fieldOf(fields, 'plan') as Plan;
    const term = termOf(signUp, isVerified);
    const form = { name: fieldOf(fields, 'name'), email: fieldOf(fields, 'email'), plan };
    const created = await session.anonymous.createUser(form);
    if (created.apiKey !== undefined) {
      onRegistered(created);
      return undefined;
    }
    return `A mail with a link is on its way to ${created.email}. Open it by ${onDateAt(created.expiresAt)} to get your key. The key is then valid for ${term}, and you can renew it.`;
  });

  const signIn = byId('sign-in', HTMLFormElement);
  onSubmit(signIn, 'Signing in…', async (fields) => {
    await session.signIn(fieldOf(fields, 'key').trim());
    if (fieldOf(fields, 'remember') !== '') session.setRemembered(true);
    onSignedIn();
    return undefined;
  });

  onSubmit(byId('recovery', HTMLFormElement), 'Sending…', async (fields) => {
    const email = fieldOf(fields, 'email').trim();
    await session.anonymous.recover(email);
    return `If ${email} has an account here, a mail with a link is on its way. The link works for 30 minutes.`;
  });

  return {
    showProblem(thrown: unknown): void {
      signIn.querySelector('.problem')?.replaceChildren(problemNote(toError(thrown)));
    },
  };
}
