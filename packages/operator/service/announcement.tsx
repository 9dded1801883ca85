import { useRef } from 'preact/hooks';
import { Isolated, Panel, Time } from '../../pages/components/figures.tsx';
import { Field, type Fields, Form } from '../../pages/components/form.tsx';
import { Head } from '../../pages/components/head.tsx';
import { Loaded } from '../../pages/components/states.tsx';
import { DAY } from '../../pages/dates.ts';
import { problem } from '../api/problem.tsx';
import { announcement, api, ask, report } from '../core/store.ts';

/** The same minute of tomorrow, in UTC. */
const tomorrow = () => new Date(Date.now() + DAY).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);

const askRemoval = () =>
  ask({
    texts: ['Remove the announcement?', 'Remove', 'Removing…'],
    effect: () => 'The announcement disappears for all users within 5 seconds.',
    async act() {
      announcement.set(await api.announce({ text: null, until: null }));
      report('The announcement is removed.');
    },
  });

function askPublication(fields: Fields, form: HTMLFormElement | null): void {
  const text = fields('text');
  // The field contains a time without a zone, and its label states UTC.
  const until = new Date(`${fields('until')}Z`);
  ask({
    texts: ['Publish the announcement?', 'Publish', 'Publishing…'],
    effect: () => (
      <>
        All users see “<Isolated>{text}</Isolated>” in the console and on the status page within 5 seconds, until{' '}
        <Time at={until} />.
      </>
    ),
    async act() {
      announcement.set(await api.announce({ text, until: until.toISOString() }));
      form?.reset();
      report('The announcement is published.');
    },
  });
}

export function Announcement() {
  const form = useRef<HTMLFormElement>(null);
  const text = announcement.value.value?.text ?? null;
  const remove = text !== null && (
    <button type="button" class="small" onClick={askRemoval}>
      Remove…
    </button>
  );
  return (
    <>
      <Head
        title="Announcement"
        hint={
          <>
            A message that all users see in the console and on <code>/status</code> until the announcement ends.
          </>
        }
      />
      <Panel title="Current announcement" actions={remove}>
        <Loaded of={announcement} problem={problem}>
          {(current) => (
            <>
              <p class="wrapped">
                {current.text === null ? 'There is no announcement.' : <Isolated>{current.text}</Isolated>}
              </p>
              {current.until && (
                <p class="soft">
                  Until <Time at={current.until} />.
                </p>
              )}
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="New announcement">
        <Form
          class="shown-once"
          formRef={form}
          button={['Publish…', 'Publish…']}
          onSubmit={(fields) => askPublication(fields, form.current)}
        >
          <Field
            name="text"
            label="Text"
            required
            maxLength={500}
            missing="Enter a text."
            wrong="Enter 1 to 500 characters."
            placeholder="Example: Maintenance on Nov 28, 10:00 to 11:00 UTC."
          />
          <Field
            class="narrow"
            name="until"
            label="Ends at (UTC)"
            type="datetime-local"
            max="9999-12-31T23:59"
            required
            defaultValue={tomorrow()}
            missing="Enter a date and a time."
            wrong="Enter a time in the future."
          />
        </Form>
      </Panel>
    </>
  );
}
