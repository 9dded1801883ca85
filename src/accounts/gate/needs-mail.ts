import { Problem } from '#core/problems';

/** When a client may try again whether mail is configured, in seconds. */
const UNTIL_CONFIGURED = 3600;

/** What mails make possible. Throws `mail_not_configured` where the service sends none. */
export function withMail<Mail>(mail: Mail | undefined): Mail {
  if (mail !== undefined) return mail;
  throw new Problem('mail_not_configured', 'This service sends no mail: SMTP_URL is not set.', {
    retryAfter: UNTIL_CONFIGURED,
  });
}
