import type { Clock } from '#core/clock';
import type { Mailer, MailFailure } from '#notifications/channels/mail/smtp';
import { MAX_PAUSE, Undeliverable } from '#notifications/outbox';
import { type Component, isFailing } from '#upstream/component';
import type { FailureCause } from '#upstream/failures/failure';
import type { Warning } from '#upstream/freshness';
import type { SourceOutcomes } from '#upstream/source-outcomes';

/** The mail server's name among the outcomes that all processes share. */
const MAIL = 'mail';

/** Records whether the mail server accepted each email. A rejected address shows that the server works. */
export function recordMailOutcomes({ send }: Mailer, note: SourceOutcomes['note']): Mailer {
  return {
    async send(mail, signal) {
      try {
        await send(mail, signal);
        note(MAIL, 'ok');
      } catch (error) {
        if (error instanceof Undeliverable) note(MAIL, 'ok');
        // An attempt that a stopping process aborts proves nothing.
        else if (!signal.aborted || signal.reason?.name === 'TimeoutError') note(MAIL, (error as MailFailure).reason);
        throw error;
      }
    },
  };
}

type Deps = { isConfigured: boolean; outcomes: Pick<SourceOutcomes, 'latest'>; clock: Clock };

/**
 * The cause of the last failure, if no email has been accepted since then. It counts for twice the longest pause
 * between attempts, and therefore until an email is retried.
 */
function failingCause({ outcomes, clock }: Omit<Deps, 'isConfigured'>): FailureCause | undefined {
  const outcome = outcomes.latest(MAIL);
  if (!isFailing(outcome, clock.now(), 2 * MAX_PAUSE)) return undefined;
  return outcome.failure?.cause as FailureCause | undefined;
}

/**
 * The state, according to the last attempt to send an email. The time of the last success is not published, because it
 * would reveal whether a requested recovery was for a registered address.
 */
export function mailComponent({ isConfigured, ...deps }: Deps): Component {
  const about = { name: 'mail', title: 'Email', dataAt: undefined };
  if (!isConfigured) return { ...about, state: 'not_configured' };
  if (failingCause(deps) !== undefined) return { ...about, state: 'down', reason: 'mail_failing' };
  return { ...about, state: 'operational' };
}

export function mailWarnings(deps: Omit<Deps, 'isConfigured'>): Warning[] {
  const cause = failingCause(deps);
  return cause === undefined ? [] : [{ about: 'mail', cause }];
}
