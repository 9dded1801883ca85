import type { Clock } from '#core/clock';
import { Undeliverable } from '#notifications/outbox';
import type { Mailer } from '#notifications/sources/smtp';
import { type Component, isFailing } from '#upstream/component';
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
        // The attempt of a stopping process proves nothing.
        else if (!signal.aborted || signal.reason?.name === 'TimeoutError') note(MAIL, 'unreachable');
        throw error;
      }
    },
  };
}

type Deps = { isConfigured: boolean; outcomes: Pick<SourceOutcomes, 'latest'>; clock: Clock };

/** The state by the last attempt to send an email. */
export function mailComponent({ isConfigured, outcomes, clock }: Deps): Component {
  const about = { name: 'mail', title: 'Email' };
  if (!isConfigured) return { ...about, state: 'not_configured', dataAt: null };
  const outcome = outcomes.latest(MAIL);
  const worked = { ...about, dataAt: outcome.succeededAt };
  return isFailing(outcome, clock.now())
    ? { ...worked, state: 'down', reason: 'mail_failing' }
    : { ...worked, state: 'operational' };
}
