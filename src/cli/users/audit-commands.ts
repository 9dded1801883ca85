import { type Command, choice, type Given, pastDate, wholeNumber } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, cut, minuteOf, print, printJsonText } from '#cli/output';
import { AUDIT_ACTIONS } from '#core/actor';
import { DAY, systemClock } from '#core/clock';
import { LARGEST_NUMBER } from '#keys/api-key';
import { createAuditLog } from '#operator/audit/audit';
import { createAuditStore } from '#operator/audit/audit-store';
import { recordNumber } from './user-services.ts';

const USUAL_LIMIT = 100;

const ifSet = <Value>(value: string | undefined, read: (value: string) => Value): Value | undefined =>
  value === undefined ? undefined : read(value);

const valuesOf = (values: Record<string, unknown> | null) =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

async function list({ values, flags }: Given): Promise<void> {
  const isJson = flags.has('json');
  const now = systemClock.now();
  const filter = {
    user: ifSet(values.user, recordNumber),
    actor: values.actor,
    action: ifSet(values.action, (action) => choice('--action', action, AUDIT_ACTIONS)),
    from: ifSet(values.from, (date) => pastDate('--from', date, now)),
    until: ifSet(values.thru, (date) => pastDate('--thru', date, now) + DAY),
  };
  const limit = ifSet(values.limit, (events) => wholeNumber('--limit', events, 1, LARGEST_NUMBER));
  await withDatabase(async ({ prisma }) => {
    const log = createAuditLog(createAuditStore(prisma));
    const most = limit ?? (isJson ? Number.POSITIVE_INFINITY : USUAL_LIMIT);
    const rows: string[][] = [];
    for await (const event of log.events(filter, most)) {
      if (isJson) printJsonText(JSON.stringify(event));
      else {
        const { at, actor, action, target, after } = event;
        rows.push([minuteOf(Date.parse(at)), cut(actor, 16), action, cut(target, 20), cut(valuesOf(after), 34)]);
      }
    }
    if (!isJson) print(alignedTable([['time', 'actor', 'action', 'target', 'after'], ...rows]));
  });
}

export const commands: readonly Command[] = [
  {
    name: 'audit list',
    options: {
      'user <key>': 'only changes of this user',
      'actor <actor>': 'only changes by `admin` (the operator API and its page), or by `cli:` and a system user',
      [`action <${AUDIT_ACTIONS.join('|')}>`]: 'only this action',
      'from <date>': 'only changes on or after this date (UTC), such as 2026-11-25',
      'thru <date>': 'only changes on or before this date',
      'limit <events>': `the maximum number of events (default: ${USUAL_LIMIT}; with --json, all)`,
      json: 'prints each event as JSON on a line',
    },
    help: 'Lists the changes that the operator made, newest first. The service never changes or deletes an event.',
    run: list,
  },
];
