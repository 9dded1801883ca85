import { startMailbox } from '#sandbox/mail/mailbox';

/** The origin of links in mails until the service listens. */
export const UNKNOWN_ORIGIN = 'http://quotient.invalid';

/** Starts a mail server that prints each mail. */
export async function printMails() {
  let origin = UNKNOWN_ORIGIN;
  const { url, close } = await startMailbox(({ to, headers, text }) => {
    const printed = text.replaceAll(UNKNOWN_ORIGIN, origin);
    process.stdout.write(`\n--- Mail to ${to}: ${headers.subject} ---\n\n${printed}\n\n---\n`);
  });
  return {
    url,
    /** Sets the origin of the service. Links in later mails point there. */
    linkTo(to: string): void {
      origin = to;
    },
    close,
  };
}
