import type { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Notice, NoticeTerm } from '../notice.ts';
import type { NotificationSettings } from '../notifications-settings.ts';
import type { OutboxMessage } from '../outbox-store.ts';

export type Target = { url: string; secrets: string[] };
/** A message in the form in which every attempt sends it. */
export type SignedMessage = { messageId: string; body: string };
/** `id` becomes the Message-ID, so that mail servers recognize an email that is sent again. */
export type AddressedMail = { id: string; to: string; subject: string; text: string; html: string };

/** A notice, with the data about its user that channels need. `settings` contains the user's settings by member. */
export type Addressed = {
  notice: Notice;
  user: NoticeTerm & { email: string; isVerified: boolean };
  settings: Readonly<Record<string, unknown>>;
  webhook: Target | undefined;
};

export type ChannelDeps = {
  mailer: { send: (mail: AddressedMail, signal: AbortSignal) => Promise<void> };
  posting: {
    post: (
      message: OutboxMessage,
      userKey: number,
      target: Target | undefined,
      notice: SignedMessage,
    ) => Promise<boolean>;
  };
  mailedTo: (email: string, since: number) => Promise<number>;
  clock: Clock;
  settings: NotificationSettings & { mail: { publicUrl: string } };
};

/** Sends a notice. Returns false if the channel is off. Throws like `Deliver`. */
type Send = (addressed: Addressed, message: OutboxMessage, signal: AbortSignal) => Promise<boolean>;

export type FormSettings = Pick<NotificationSettings, 'webhookAllow'>;

/** A way to send notices. Its setting is both a column of `notice_settings` and a member of requests and responses. */
type Channel<Member extends string, Record extends z.ZodType, Form extends z.ZodType> = {
  name: string;
  /** The kind of the outbox messages of notices, whose payload contains only the notice's ID. */
  kind: string;
  atOnce?: number;
  deliveredColumn: string;
  setting: {
    member: Member;
    column: string;
    type: 'boolean' | 'text';
    /** SQL expressions for a user `u`, whose row `s` in the settings may not exist. */
    value: string;
    isOn: string;
    record: Record;
    form: (settings: FormSettings) => Form;
  };
  open: (deps: ChannelDeps) => Send;
};

export const channel = <Member extends string, Record extends z.ZodType, Form extends z.ZodType>(
  channel: Channel<Member, Record, Form>,
) => channel;
