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

/** By the name in the fragment of a mailed link: `#recover=<token>`. */
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

/** Mail scanners open links, so only a click uses the token, which works once. */
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
    // The token cannot be used again.
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

type MailLink = { purpose: 'recover' | 'verify'; token: string };

/** True even for a damaged link: its token must not stay in the address either. */
export const isMailLink = (fragment: string): boolean => /^#(recover|verify)=/.test(fragment);

/** Undefined for a damaged link. */
export function mailLinkIn(fragment: string): MailLink | undefined {
  const [, purpose, token] = /^#(recover|verify)=([\w-]{1,200})$/.exec(fragment) ?? [];
  if (purpose === undefined || token === undefined) return undefined;
  return { purpose: purpose as MailLink['purpose'], token };
}

type SignInEvents = {
  onRegistered: (user: User) => void;
  onSignedIn: () => void;
};

const WAYS: Readonly<Record<ServiceFacts['registration'], string>> = {
  open: 'You get an API key right away: no password, no confirmation e-mail.',
  verified: 'You get an API key once you have confirmed your e-mail address: no password.',
  closed: 'The operator of this service gives out the API keys.',
};

function termOf(form: HTMLFormElement, isVerified: boolean): string {
  const plan = form.querySelector<HTMLInputElement>('[name=plan]:checked');
  return `${plan?.dataset.term ?? ''}${isVerified ? ' from the confirmation' : ''}`;
}

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
    // The radio buttons have only values of `Plan`.
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
