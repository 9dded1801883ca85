import { signal } from '@preact/signals';
import type { Plan, QuotientClient, QuotientError, User } from '../../client/index.ts';
import type { Fields } from '../../pages/components/form.tsx';
import { onDateAt } from '../../pages/format.ts';
import type { Session } from '../api/session.ts';
import type { PlanFacts, ServiceFacts } from '../core/facts.ts';
import type { PanelFailure } from '../core/failures.tsx';

export type MailLink = { purpose: 'recover' | 'verify'; code: string };

/** Also returns true for a damaged link, because its one-time code must not stay in the URL. */
export const isMailLink = (fragment: string): boolean => /^#(recover|verify)=/.test(fragment);

/** Returns undefined for a damaged link. */
export function mailLinkIn(fragment: string): MailLink | undefined {
  const [, purpose, code] = /^#(recover|verify)=([\w-]{1,200})$/.exec(fragment) ?? [];
  return code === undefined ? undefined : { purpose: purpose as MailLink['purpose'], code };
}

type LinkTexts = { title: string; text: string; action: string };
type UseLink = (client: QuotientClient, code: string) => Promise<User>;

/** The keys are the names in the fragments of emailed links, such as `#recover=<one-time code>`. */
export const MAIL_LINKS: Readonly<Record<MailLink['purpose'], LinkTexts & { use: UseLink }>> = {
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

/** `oldKey`: when the key that this one replaces stops working, in words. */
type NewKey = { apiKey: string; validUntil: Date; isRemembered: boolean; oldKey: string | undefined };

type Events = {
  /** A registration or an emailed link has returned a user with a new key. */
  onKey: (user: User) => void;
  /** The user has signed in, or has saved the new key. */
  onSignedIn: () => void;
  /** The user does not use the emailed link. */
  onLinkLeft: () => void;
  onOtherKey: () => void;
};
type Service = ServiceFacts & { plans: readonly PlanFacts[] };

/** Registration, sign-in and recovery, until a key is known. The forms show the texts that their actions return. */
export function openEntrance(session: Session, service: Service, resumeFailure: PanelFailure, events: Events) {
  const { anonymous, setRemembered, setSaved } = session;
  const { onKey, onSignedIn } = events;
  const newKey = signal<NewKey | undefined>(undefined);

  return {
    ...{ service, events, anonymous, newKey, setRemembered, setSaved },
    /** Why the stored key could not be checked. */
    resumeFailure,
    link: signal<MailLink | undefined>(undefined),
    /** Why the last sign-in failed, including a sign-in with a stored key. */
    signInError: signal<QuotientError | undefined>(undefined),

    /** @param term how long the key will be valid */
    async signUp(fields: Fields, term: string): Promise<string | undefined> {
      const form = { name: fields('name'), email: fields('email'), plan: fields('plan') as Plan };
      const created = await anonymous.createUser(form);
      if (created.apiKey === undefined)
        return `An email with a link is on its way to ${created.email}. To get your key, open the link by ${onDateAt(created.expiresAt)}. The key is then valid for ${term}, and you can renew it.`;
      onKey(created);
      return undefined;
    },

    async signIn(fields: Fields): Promise<void> {
      await session.signIn(fields('key'));
      if (fields('remember') !== '') setRemembered(true);
      onSignedIn();
    },

    async recover(fields: Fields): Promise<string> {
      await anonymous.recover(fields('email'));
      return `If ${fields('email')} has an account here, an email with a link is on its way. The link is valid for 30 minutes.`;
    },

    useLink: async ({ purpose, code }: MailLink) => onKey(await MAIL_LINKS[purpose].use(anonymous, code)),

    /** Shows the key of the session, which the user has not saved yet. */
    showKey(oldKey = newKey.value?.oldKey): void {
      const { user, key } = session;
      const isRemembered = session.isRemembered();
      newKey.value = user && { apiKey: key, validUntil: user.validUntil, isRemembered, oldKey };
    },
    keepKey(): void {
      newKey.value = undefined;
      setSaved();
      onSignedIn();
    },
  };
}

export type Entrance = ReturnType<typeof openEntrance>;
