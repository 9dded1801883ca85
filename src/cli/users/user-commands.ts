import { type Command, choice, type Given, wholeNumber, wrongUsage } from '#cli/arguments';
import { type CommandLine, printJsonText } from '#cli/command-line';
import { faultText } from '#core/problems';
import { GRACE_SECONDS, LARGEST_NUMBER } from '#keys/api-key';
import { singleLineText } from '#operator/parameters';
import { USER_SORTS } from '#operator/users/search-store';
import { MAX_CALLS } from '#users/administration/administration';
import { byOperator } from '#users/authority';
import { PLAN_NAMES } from '#users/plan';
import { registrationForm } from '#users/registration';
import type { User } from '#users/user';
import { printSelection, SELECTION } from './user-list.ts';
import { printNotices } from './user-notices.ts';
import {
  optionalNumber,
  printRecord,
  printUser,
  recordNumber,
  type Services,
  show,
  withUsers,
} from './user-services.ts';

const MAX_REASON = 500;
const reasonForm = singleLineText('The reason', '', MAX_REASON);

/** Throws `UsageError`. The text is not repeated. */
function reasonOf({ reason }: Given['values']): string {
  if (reason === undefined) throw wrongUsage('--reason is missing: use --reason <text>');
  const parsed = reasonForm.safeParse(reason);
  if (parsed.success) return parsed.data;
  throw wrongUsage(
    `--reason must have 1 to ${MAX_REASON} characters in one line, without control or invisible characters`,
  );
}

/** Parses a new user. Throws `UsageError` with a line for each fault. */
function registrationOf(values: Given['values']) {
  const parsed = registrationForm.safeParse(values);
  if (parsed.success) return parsed.data;
  const faults = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
  const lines = [...faults].map(([name, message]) => {
    const { fix } = registrationForm.shape[name as keyof typeof registrationForm.shape].meta() ?? {};
    const fault = values[name] === undefined ? 'is missing' : message;
    return faultText({ location: `--${name}`, message: fault, fix: `use ${fix}` });
  });
  throw wrongUsage(lines.join('\n'));
}

type Change = (services: Services, key: number) => Promise<User>;

const change =
  (changeOf: (values: Given['values']) => Change): Command['run'] =>
  async ({ values }) => {
    const key = recordNumber(values.key);
    const work = changeOf(values);
    printUser(await withUsers((services) => work(services, key)));
  };

const COMMANDS: Command[] = [
  {
    name: 'create',
    arguments: `--name <name> --email <address> --plan <${PLAN_NAMES.join('|')}> [--limit <calls>]`,
    async run({ values }) {
      const limit = optionalNumber('--limit', values.limit, 0, LARGEST_NUMBER);
      const user = registrationOf(values);
      printRecord(await withUsers(({ users, operator }) => users.create(user, limit, operator)));
    },
  },
  {
    name: 'list',
    arguments: `[--sort <${USER_SORTS.join('|')}>] [--state <state>] [--plan <plan>] [--limit <users>] [--json]`,
    accepts: SELECTION,
    help:
      'list users with state, active keys, used calls and last use; without\n' +
      '--sort, by record number. With --limit, only the first users in the\n' +
      'sort order or, without --sort, the newest users',
    run: printSelection,
  },
  {
    name: 'find',
    arguments: '<text> [options]',
    accepts: `<text> ${SELECTION}`,
    help:
      'the same for users whose record number is <text>, or whose email address,\n' +
      'word of the name or key starts with <text>',
    run: printSelection,
  },
  { name: 'show', arguments: '<key> [--json]', help: 'show one user with all keys', run: show },
  {
    name: 'export',
    arguments: '<key>',
    help: 'everything that is stored about a user, as JSON without secrets',
    async run({ values }) {
      const key = recordNumber(values.key);
      printJsonText(await withUsers(({ users }) => users.exportJson(key)));
    },
  },
  {
    name: 'limit',
    arguments: '<key> <calls>',
    help: 'set the calls allowed per period',
    run: change(({ calls = '' }) => {
      const limit = wholeNumber('<calls>', calls, 0, LARGEST_NUMBER);
      return ({ administration, operator }, key) => administration.limit(operator, key, limit);
    }),
  },
  {
    name: 'plan',
    arguments: `<key> <${PLAN_NAMES.join('|')}> --from <now|next> [--limit <calls>]`,
    accepts: '<key> <plan> [--from <when>] [--limit <calls>]',
    help: 'change the plan: now, which starts a new period and term, or from the next\nperiod on',
    run: change(({ plan, from, limit }) => {
      const planned = {
        plan: choice('<plan>', plan, PLAN_NAMES),
        from: choice('--from', from, ['now', 'next']),
        limit: optionalNumber('--limit', limit, 0, MAX_CALLS),
      };
      return ({ administration, operator }, key) => administration.plan(operator, key, planned);
    }),
  },
  {
    name: 'credits',
    arguments: '<key> <calls> --reason <text>',
    help: 'grant additional calls for the current period',
    run: change((values) => {
      const grant = { calls: wholeNumber('<calls>', values.calls ?? '', 1, MAX_CALLS), reason: reasonOf(values) };
      return ({ administration, operator }, key) => administration.credits(operator, key, grant);
    }),
  },
  {
    name: 'rotate',
    arguments: '<key> [--grace-seconds <seconds>]',
    help:
      'create an owner key; old owner keys can still read data for the\n' +
      `given time (default: ${GRACE_SECONDS.default} s); all other keys remain valid`,
    async run({ values }) {
      const key = recordNumber(values.key);
      const grace = optionalNumber('--grace-seconds', values['grace-seconds'], 0, GRACE_SECONDS.max);
      printRecord(await withUsers(({ keys, operator }) => keys.rotate(byOperator(key, operator), grace)));
    },
  },
  {
    name: 'renew',
    arguments: '<key>',
    help: 'extend the plan by one period; if it has expired, start a new period',
    run: change(
      () =>
        ({ users, operator }, key) =>
          users.renew(byOperator(key, operator)),
    ),
  },
  {
    name: 'suspend',
    arguments: '<key> --reason <text>',
    help: 'reject all calls until `resume`; the user sees the reason',
    run: change((values) => {
      const reason = reasonOf(values);
      return ({ administration, operator }, key) => administration.suspend(operator, key, reason);
    }),
  },
  {
    name: 'resume',
    arguments: '<key> --reason <text>',
    run: change((values) => {
      const reason = reasonOf(values);
      return ({ administration, operator }, key) => administration.resume(operator, key, reason);
    }),
  },
  {
    name: 'revoke',
    arguments: '<key> [--id <id>]',
    help: 'revoke all API keys of the user, or only the key with this ID (see `show`)',
    async run({ values }) {
      const key = recordNumber(values.key);
      const id = optionalNumber('--id', values.id, 1, LARGEST_NUMBER);
      const revoked = await withUsers(async ({ keys, operator }) => {
        if (id === undefined) return `${await keys.revokeAll(byOperator(key, operator))} API key(s)`;
        await keys.delete(byOperator(key, operator), id);
        return `API key ${id}`;
      });
      process.stdout.write(`${revoked} of user ${key} revoked\n`);
    },
  },
  {
    name: 'erase',
    arguments: '<key> --confirm <key>',
    help:
      "revoke all keys and delete the user's data, except the record number and\n" +
      'the call counts; this cannot be undone',
    /** The record number must be given twice, because an erasure cannot be undone. */
    async run({ values }) {
      const key = recordNumber(values.key);
      if (values.confirm !== String(key)) throw wrongUsage('--confirm must repeat <key>: an erasure cannot be undone');
      await withUsers(({ users, operator }) => users.erase(byOperator(key, operator)));
      process.stdout.write(`user ${key} erased\n`);
    },
  },
  {
    name: 'notices',
    arguments: '[--json]',
    help: 'list undelivered notices: waiting, failed or given up',
    run: printNotices,
  },
];

export const users: CommandLine = {
  name: 'users',
  summary: 'Manages users. <key> is the record number of a user, as shown by `list`.',
  commands: COMMANDS,
  column: 44,
  notes: `create and rotate print the new API key. The key cannot be shown again, because only its hash is stored.
Each change adds an event to the audit log (\`npm run audit\`), with the name of the system user.
Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory.
`,
};
