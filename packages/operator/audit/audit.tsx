import { Isolated, Time } from '../../pages/components/figures.tsx';
import { Field } from '../../pages/components/form.tsx';
import { Head } from '../../pages/components/head.tsx';
import { saveFile } from '../../pages/download.ts';
import { UNKNOWN } from '../../pages/format.ts';
import { Filters, List, optionsOf } from '../core/list.tsx';
import type { Place } from '../core/router.ts';
import { api, ask, audit, report } from '../core/store.ts';
import type { AuditEvent } from '../generated/records.ts';
import { changesIn, parametersOf } from './changes.ts';

export function Changes({ of: { before, after } }: { of: AuditEvent }) {
  const changes = changesIn(before, after);
  if (changes.length === 0) return <>{UNKNOWN}</>;
  return (
    <ul class="changes">
      {changes.map((change) => (
        <li key={change}>
          <Isolated>{change}</Isolated>
        </li>
      ))}
    </ul>
  );
}

/** Links to the affected user, even if the target is one of the user's keys or messages. */
function Target({ of: { target, user } }: { of: AuditEvent }) {
  if (user === null) return <>{target}</>;
  const isUser = target === `user:${user}`;
  return (
    <>
      {!isUser && `${target} of `}
      <a href={`#/users/${user}`}>{`user:${user}`}</a>
    </>
  );
}

function askDownload(query: Place['query']): void {
  const parameters = parametersOf({ ...query, cursor: '' });
  const isFiltered = Object.values(parameters).some((value) => value !== '');
  ask({
    texts: ['Download the audit log?', 'Download', 'Downloading…'],
    effect: () =>
      `Saves ${isFiltered ? 'all events that match the filter' : 'all events'} on this device, as a file with one JSON object per line.`,
    async act() {
      saveFile('audit.ndjson', await api.auditLines(parameters));
      report('The audit log is saved.');
    },
  });
}

export const Audit = ({ place }: { place: Place }) => (
  <>
    <Head title="Audit log" hint="Every change that an operator made, newest first.">
      <button type="button" class="small" onClick={() => askDownload(place.query)}>
        Download…
      </button>
    </Head>
    <Filters place={place} label="Filter" names={['action', 'user', 'actor', 'from', 'to']}>
      <Field name="action" label="Action" options={optionsOf('actions')} />
      <Field
        name="user"
        label="User"
        inputMode="numeric"
        pattern="[1-9][0-9]{0,9}"
        placeholder="Record number"
        wrong="Enter a record number."
      />
      <Field
        name="actor"
        label="Actor"
        maxLength={100}
        placeholder="admin or cli:ada"
        wrong="Enter up to 100 characters."
      />
      <Field name="from" label="From (UTC)" type="date" max="9999-12-31" wrong="Enter a complete date." />
      <Field name="to" label="To (UTC)" type="date" max="9999-12-31" wrong="Enter a complete date." />
    </Filters>
    <List
      place={place}
      of={audit}
      label="Audit events"
      nouns={['event', 'events']}
      kind="wide"
      keyOf={({ id }) => id}
      columns={[
        { title: 'Time', cell: ({ at }) => <Time at={at} to="second" /> },
        { title: 'Action', cell: ({ action }) => action },
        { title: 'Target', kind: 'text', cell: (event) => <Target of={event} /> },
        { title: 'Changes', kind: 'text', cell: (event) => <Changes of={event} /> },
        { title: 'Actor', kind: 'text', cell: ({ actor }) => <Isolated>{actor}</Isolated> },
        {
          title: 'Request',
          kind: 'text',
          cell: ({ requestId }) => (requestId === null ? UNKNOWN : <code>{requestId}</code>),
        },
      ]}
    />
  </>
);
