import { startMailbox } from '#sandbox/mail/mailbox';

/** What links in mails begin with, until it is known where the service listens. */
const NOT_KNOWN_YET = 'http://quotient.invalid';

/** Starts a server for mails that prints what it takes. */
export async function printMails() {
  let url = NOT_KNOWN_YET;
  const mailbox = await startMailbox(({ to, headers, text }) => {
    const said = text.replaceAll(NOT_KNOWN_YET, url);
    process.stdout.write(`\n--- Mail to ${to}: ${headers.subject} ---\n\n${said}\n\n---\n`);
  });
  return {
    settings: { SMTP_URL: mailbox.url, MAIL_FROM: 'Quotient <demo@example.org>', PUBLIC_URL: NOT_KNOWN_YET },
    /** Where the service is: links go there from now on. */
    linkTo(to: string): void {
      url = to;
    },
    close: mailbox.close,
  };
}
