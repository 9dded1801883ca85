import { choice, type Given, pastDate, wholeNumber } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { alignedTable, cut, minuteOf, printJsonText } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
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
    if (!isJson) process.stdout.write(alignedTable([['time', 'actor', 'action', 'target', 'after'], ...rows]));
  });
}

export const audit: CommandLine = {
  name: 'audit',
  summary: 'Shows the changes that the operator made, newest first.',
  commands: [
    {
      name: 'list',
      arguments:
        '[--user <key>] [--actor <actor>] [--action <action>] [--from <date>] [--thru <date>]\n' +
        '                        [--limit <events>] [--json]',
      accepts:
        '[--json] [--user <value>] [--actor <value>] [--action <value>] [--from <value>] [--thru <value>] [--limit <value>]',
      run: list,
    },
  ],
  notes: `The default limit is 100 events. --json prints one JSON object per line and has no default limit.
<actor> is \`admin\` for the operator API and its page, or \`cli:\` and the name of a system user.
<action> is one of ${AUDIT_ACTIONS.slice(0, 8).join(', ')},
${AUDIT_ACTIONS.slice(8).join(', ')}.
Dates are in UTC, such as 2026-11-25. The service never changes or deletes an event.
Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory.
`,
};
