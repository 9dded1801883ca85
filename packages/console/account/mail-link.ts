import type { QuotientClient, User } from '../../client/index.ts';
import { byId } from '../core/dom.ts';
import { runOnce } from '../core/problem.ts';
import type { Session } from '../session/session.ts';

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
