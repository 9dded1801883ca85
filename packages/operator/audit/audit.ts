import { byId, make } from '../../pages/dom.ts';
import { saveFile } from '../../pages/download.ts';
import { openFaults } from '../../pages/faults.ts';
import { onDateAtSecond, UNKNOWN } from '../../pages/format.ts';
import { isolated } from '../../pages/phrase.ts';
import type { Context, View } from '../core/context.ts';
import { openList } from '../core/list.ts';
import { fillForm, fragmentOf, onFilter } from '../core/router.ts';
import type { AuditEvent } from '../generated/records.ts';
import { changesIn, parametersOf } from './changes.ts';

function changesCell({ before, after }: AuditEvent): Node | string {
  const changes = changesIn(before, after);
  if (changes.length === 0) return UNKNOWN;
  return make('ul', { class: 'changes' }, ...changes.map((change) => make('li', {}, isolated(change))));
}

/** Links to the affected user, also if the target is one of the user's keys or messages. */
function targetCell({ target, user }: AuditEvent): HTMLElement {
  if (user === null) return make('span', { class: 'wrapped' }, target);
  const isUser = target === `user:${user}`;
  const link = make('a', { href: `#/users/${user}` }, isUser ? target : `user:${user}`);
  return make('span', { class: 'wrapped' }, ...(isUser ? [] : [`${target} of `]), link);
}

export function openAudit({ api, ask, go, report }: Context): View {
  const form = byId('audit-filter', HTMLFormElement);
  const faults = openFaults(form);
  const list = openList<AuditEvent>({
    id: 'audit-list',
    label: 'Audit events',
    view: 'audit',
    nouns: ['event', 'events'],
    columns: [['Time'], ['Action'], ['Target'], ['Changes'], ['Actor'], ['Request']],
    cellsOf: (event) => [
      onDateAtSecond(event.at),
      event.action,
      targetCell(event),
      changesCell(event),
      isolated(event.actor),
      event.requestId === null ? UNKNOWN : make('code', { class: 'request' }, event.requestId),
    ],
    read: (query) => api.audit(parametersOf(query)),
  });

  onFilter(form, (query) => {
    if (faults.check()) go(fragmentOf('audit', query));
  });

  let shown: Readonly<Record<string, string>> = {};
  byId('audit-download').addEventListener('click', () => {
    const query = parametersOf({ ...shown, cursor: '' });
    const isFiltered = Object.values(query).some((value) => value !== '');
    ask({
      texts: ['Download the audit log?', 'Download', 'Downloading…'],
      effect: () =>
        `Saves ${isFiltered ? 'all events that match the filter' : 'all events'} on this device, as a file with one JSON object per line.`,
      async act() {
        saveFile('audit.ndjson', await api.auditLines(query));
        report('The audit log is saved.');
      },
    });
  });

  return ({ query }) => {
    fillForm(form, query);
    shown = query;
    return list.show(query);
  };
}
