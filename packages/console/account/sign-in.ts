import type { Plan, QuotientClient, User } from '../../client/index.ts';
import type { Session } from '../api/session.ts';
import { byId } from '../core/dom.ts';
import { fieldOf, onSubmit } from '../core/form.ts';
import { onDateAt } from '../core/format.ts';
import { problemNote, runOnce, toError } from '../core/problem.ts';
import type { ServiceFacts } from '../core/storage.ts';

type Purpose = {
  title: string;
  text: string;
  action: string;
  use: (client: QuotientClient, token: string) => Promise<User>;
};

/** What the links of mails are for, by the name in the fragment: `#recover=<token>`. */
const PURPOSES: Readonly<Record<MailLink['purpose'], Purpose>> = {
  recover: {
    title: 'Get a new owner key',
    text: 'The owner keys that this account has had stop working at once. Its other keys, for pages and programs, go on.',
    action: 'Get a new key',
    use: (client, token) => client.confirmRecovery(token),
  },
  verify: {
    title: 'Confirm your address',
    text: 'Your account is made now, and you get its key.',
    action: 'Confirm and get the key',
    use: (client, token) => client.verify(token),
  },
};

type Events = { onKey: (user: User) => void; onLeave: () => void };

/** The view of a mailed link. A click uses the token, which works once: mail scanners open links. */
export function openMailLink(session: Session, { onKey, onLeave }: Events) {
  const use = byId('mail-link-use');
  const problem = byId('mail-link-problem');
  let opened: MailLink | undefined;

  use.addEventListener('click', async () => {
    if (!opened) return;
    const { purpose, token } = opened;
    const error = await runOnce(use, problem, async () => {
      const user = await PURPOSES[purpose].use(session.anonymous, token);
      opened = undefined;
      onKey(user);
    });
    // Such a token is dead: another click would not help.
    if (error?.code === 'token_invalid') use.hidden = true;
  });
  byId('mail-link-leave').addEventListener('click', () => {
    opened = undefined;
    onLeave();
  });

  return {
    show(link: MailLink): void {
      opened = link;
      const { title, text, action } = PURPOSES[link.purpose];
      byId('mail-link-title').textContent = title;
      byId('mail-link-text').textContent = text;
      use.textContent = action;
      use.hidden = false;
      problem.replaceChildren();
    },
  };
}

/** The link of a mail: what it is for, and the token that was sent. */
export type MailLink = { purpose: 'recover' | 'verify'; token: string };

/** Whether a fragment has, or had, a mailed token: no place but this page should keep it. */
export const isMailLink = (fragment: string): boolean => /^#(recover|verify)=/.test(fragment);

/** The link that the fragment of a URL stands for; undefined for one that was damaged on its way. */
export function mailLinkIn(fragment: string): MailLink | undefined {
  const [, purpose, token] = /^#(recover|verify)=([\w-]{1,200})$/.exec(fragment) ?? [];
  if (purpose === undefined || token === undefined) return undefined;
  return { purpose: purpose as MailLink['purpose'], token };
}

type SignInEvents = {
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
export function openSignIn(session: Session, facts: ServiceFacts, { onRegistered, onSignedIn }: SignInEvents) {
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
