import { DAY } from '../../pages/dates.ts';
import { byId } from '../../pages/dom.ts';
import { openFaults } from '../../pages/faults.ts';
import { fieldOf } from '../../pages/form.ts';
import { onDateAt } from '../../pages/format.ts';
import { isolated, phrase } from '../../pages/phrase.ts';
import type { Announcement } from '../api/api.ts';
import type { Context, View } from '../core/context.ts';
import { openLoader } from '../core/loader.ts';

export function openAnnouncement({ api, ask, report }: Context): View {
  const form = byId('announcement-form', HTMLFormElement);
  const remove = byId('announcement-remove');
  const text = byId('announcement-text');
  const until = byId('announcement-until');
  const load = openLoader(form, byId('announcement-problem'));
  const faults = openFaults(form);

  const end = byId('announcement-end', HTMLInputElement);
  /** Offers the same minute of tomorrow, in UTC. */
  const offerEnd = () => {
    end.defaultValue = new Date(Date.now() + DAY).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
  };

  function write(current: Announcement): void {
    remove.hidden = current.text === null;
    text.textContent = current.text ?? 'There is no announcement.';
    until.textContent = current.until ? `Until ${onDateAt(current.until)}.` : '\u00a0';
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!faults.check()) return;
    const fields = new FormData(form);
    const next = fieldOf(fields, 'text').trim();
    // The field contains a time without a zone, and its label states UTC.
    const endsAt = new Date(`${fieldOf(fields, 'until')}Z`);
    ask({
      texts: ['Publish the announcement?', 'Publish', 'Publishing…'],
      effect: () =>
        phrase`All users see “${isolated(next)}” in the console and on the status page within 5 seconds, until ${onDateAt(endsAt)}.`,
      async act() {
        write(await api.announce({ text: next, until: endsAt.toISOString() }));
        offerEnd();
        form.reset();
        report('The announcement is published.');
      },
    });
  });

  remove.addEventListener('click', () =>
    ask({
      texts: ['Remove the announcement?', 'Remove', 'Removing…'],
      effect: () => 'The announcement disappears for all users within 5 seconds.',
      async act() {
        write(await api.announce({ text: null, until: null }));
        report('The announcement is removed.');
      },
    }),
  );

  return () => {
    offerEnd();
    return load(api.announcement, write);
  };
}
