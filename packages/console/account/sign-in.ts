import type { Plan, QuotientClient, User } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { fieldOf, onSubmit } from '../../pages/form.ts';
import { count, onDateAt } from '../../pages/format.ts';
import { problemNote, runOnce, toError } from '../../pages/problem.ts';
import type { Session } from '../api/session.ts';
import type { ServiceFacts } from '../core/facts.ts';

type Purpose = {
  title: string;
  text: string;
  action: string;
  use: (client: QuotientClient, code: string) => Promise<User>;
};

/** The keys are the names in the fragments of emailed links, such as `#recover=<one-time code>`. */
const PURPOSES: Readonly<Record<MailLink['purpose'], Purpose>> = {
  recover: {
    title: 'Get a new owner key',
    text: 'Your previous owner keys stop working immediately. All other keys stay valid.',
    action: 'Get a new key',
    use: (client, code) => client.confirmRecovery(code),
  },
  verify: {
    title: 'Confirm your address',
    text: 'This creates your account and shows your API key.',
    action: 'Confirm and get the key',
    use: (client, code) => client.verify(code),
  },
};

type Events = { onKey: (user: User) => void; onLeave: () => void };

/** Email scanners open links, so the one-time code is used only after a click. */
export function openMailLink(session: Session, { onKey, onLeave }: Events) {
  const use = byId('mail-link-use');
  const problem = byId('mail-link-problem');
  let opened: MailLink | undefined;

  use.addEventListener('click', async () => {
    if (!opened) return;
    const { purpose, code } = opened;
    const error = await runOnce(use, problem, async () => {
      const user = await PURPOSES[purpose].use(session.anonymous, code);
      opened = undefined;
      onKey(user);
    });
    // The one-time code cannot be used again.
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

type MailLink = { purpose: 'recover' | 'verify'; code: string };

/** Also returns true for a damaged link, because its one-time code must not stay in the URL. */
export const isMailLink = (fragment: string): boolean => /^#(recover|verify)=/.test(fragment);

/** Returns undefined for a damaged link. */
export function mailLinkIn(fragment: string): MailLink | undefined {
  const [, purpose, code] = /^#(recover|verify)=([\w-]{1,200})$/.exec(fragment) ?? [];
  return code === undefined ? undefined : { purpose: purpose as MailLink['purpose'], code };
}

type SignInEvents = {
  onRegistered: (user: User) => void;
  onSignedIn: () => void;
};

const REGISTRATION_TEXTS: Readonly<Record<ServiceFacts['registration'], string>> = {
  open: 'You get an API key right away. No password or confirmation email is required.',
  verified: 'You get an API key after you confirm your email address. No password is required.',
  closed: 'The operator of this service issues the API keys.',
};

function termOf(form: HTMLFormElement, isVerified: boolean): string {
  const plan = form.querySelector<HTMLInputElement>('[name=plan]:checked');
  return `${plan?.dataset.term ?? ''}${isVerified ? ' from the confirmation' : ''}`;
}

export function openSignIn(session: Session, facts: ServiceFacts, { onRegistered, onSignedIn }: SignInEvents) {
  const isClosed = facts.registration === 'closed';
  byId('how-to-register').textContent = REGISTRATION_TEXTS[facts.registration];
  byId('sign-up').hidden = isClosed;
  byId('registration-closed').hidden = !isClosed;
  byId('recovery').hidden = !facts.sendsMail;
  byId('no-recovery').hidden = facts.sendsMail;

  const signUp = byId('sign-up', HTMLFormElement);
  for (const place of signUp.querySelectorAll<HTMLElement>('[data-count]'))
    place.textContent = count(Number(place.dataset.count));
  const isVerified = facts.registration === 'verified';
  function showValidity(): void {
    byId('sign-up-validity').textContent =
      `The key is valid for ${termOf(signUp, isVerified)}. You can renew it in this console or with an API call.`;
  }
  showValidity();
  signUp.addEventListener('change', showValidity);
  signUp.addEventListener('reset', () => queueMicrotask(showValidity));

  onSubmit(signUp, 'Creating key…', async (fields) => {
    const plan = fieldOf(fields, 'plan') as Plan;
    const term = termOf(signUp, isVerified);
    const form = { name: fieldOf(fields, 'name'), email: fieldOf(fields, 'email'), plan };
    const created = await session.anonymous.createUser(form);
    if (created.apiKey !== undefined) return onRegistered(created);
    return `An email with a link is on its way to ${created.email}. To get your key, open the link by ${onDateAt(created.expiresAt)}. The key is then valid for ${term}, and you can renew it.`;
  });

  const signIn = byId('sign-in', HTMLFormElement);
  onSubmit(signIn, 'Signing in…', async (fields) => {
    await session.signIn(fieldOf(fields, 'key').trim());
    if (fieldOf(fields, 'remember') !== '') session.setRemembered(true);
    onSignedIn();
  });

  onSubmit(byId('recovery', HTMLFormElement), 'Sending…', async (fields) => {
    const email = fieldOf(fields, 'email').trim();
    await session.anonymous.recover(email);
    return `If ${email} has an account here, an email with a link is on its way. The link is valid for 30 minutes.`;
  });

  return {
    showProblem(thrown: unknown): void {
      signIn.querySelector('.problem')?.replaceChildren(problemNote(toError(thrown)));
    },
  };
}
