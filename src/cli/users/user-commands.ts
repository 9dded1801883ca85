import { type Command, choice, type Given, wholeNumber, wrongUsage } from '#cli/arguments';
import { printJsonText, say } from '#cli/output';
import { faultText } from '#core/problems';
import { GRACE_SECONDS, LARGEST_NUMBER } from '#keys/api-key';
import { singleLineText } from '#operator/parameters';
import { MAX_CALLS } from '#users/administration/administration';
import { byOperator } from '#users/authority';
import { PLAN_NAMES } from '#users/plan';
import { registrationForm } from '#users/registration';
import { printSelection, SELECTION } from './user-list.ts';
import { printNotices } from './user-notices.ts';
import {
  optionalNumber,
  printChange,
  printRecord,
  recordNumber,
  type Services,
  show,
  withUsers,
} from './user-services.ts';

const MAX_REASON = 500;
const reasonForm = singleLineText('The reason', '', MAX_REASON);

/** Throws `UsageError`. The text is not repeated. */
function reasonOf({ reason }: Given['values']): string {
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
    return faultText({ location: `--${name}`, message, fix: `use ${fix}` });
  });
  throw wrongUsage(lines.join('\n'));
}

type Change = (services: Services, key: number) => Promise<unknown>;

/** Prints the user's values before and after the change. */
const change =
  (changeOf: (values: Given['values']) => Change): Command['run'] =>
  async ({ values }) => {
    const key = recordNumber(values.key);
    const work = changeOf(values);
    await withUsers(async (services, report) => {
      const before = await report.find(key);
      await work(services, key);
      printChange(before, await report.find(key));
    });
  };

const KEY = { key: 'the record number of the user, as shown by `quotient users list`' };
const PLANS = PLAN_NAMES.join('|');
const REASON = { 'reason <text>': 'the reason, for the audit log' };

export const commands: readonly Command[] = [
  {
    name: 'users create',
    required: { 'name <name>': 'the name', 'email <address>': 'the email address', [`plan <${PLANS}>`]: 'the plan' },
    options: { 'limit <calls>': 'the calls per period (default: by plan)' },
    help: 'Creates a user and prints the API key. The key cannot be shown again, because only its hash is stored.',
    async run({ values }) {
      const limit = optionalNumber('--limit', values.limit, 0, LARGEST_NUMBER);
      const user = registrationOf(values);
      printRecord(await withUsers(({ users, operator }) => users.create(user, limit, operator)));
    },
  },
  {
    name: 'users list',
    options: SELECTION,
    help: 'Lists users with state, active keys, used calls and last use.',
    run: printSelection,
  },
  {
    name: 'users find',
    arguments: { text: 'the record number, or the start of the email address, of a word of the name or of a key' },
    options: SELECTION,
    help: 'Lists the users that match the text.',
    run: printSelection,
  },
  {
    name: 'users show',
    arguments: KEY,
    options: { json: 'prints all fields as JSON' },
    help: 'Shows one user with all keys.',
    run: show,
  },
  {
    name: 'users export',
    arguments: KEY,
    help: 'Prints everything that is stored about a user, as JSON without secrets.',
    async run({ values }) {
      const key = recordNumber(values.key);
      printJsonText(await withUsers(({ users }) => users.exportJson(key)));
    },
  },
  {
    name: 'users limit',
    arguments: { ...KEY, calls: 'the calls per period' },
    help: 'Sets the calls that the user can make per period.',
    run: change(({ calls = '' }) => {
      const limit = wholeNumber('<calls>', calls, 0, LARGEST_NUMBER);
      return ({ administration, operator }, key) => administration.limit(operator, key, limit);
    }),
  },
  {
    name: 'users plan',
    arguments: { ...KEY, [`plan:${PLANS}`]: 'the plan' },
    required: { 'from <now|next>': 'now, which starts a new period and term, or from the next period on' },
    options: { 'limit <calls>': 'the calls per period (default: by plan)' },
    help: 'Changes the plan.',
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
    name: 'users credits',
    arguments: { ...KEY, calls: 'the additional calls' },
    required: REASON,
    help: 'Grants additional calls for the current period.',
    run: change((values) => {
      const grant = { calls: wholeNumber('<calls>', values.calls ?? '', 1, MAX_CALLS), reason: reasonOf(values) };
      return ({ administration, operator }, key) => administration.credits(operator, key, grant);
    }),
  },
  {
    name: 'users rotate',
    arguments: KEY,
    options: {
      'grace-seconds <seconds>': `how long old owner keys can still read data (default: ${GRACE_SECONDS.default})`,
    },
    help: 'Creates an owner key and prints it. Old owner keys expire after the grace period. All other keys remain valid.',
    async run({ values }) {
      const key = recordNumber(values.key);
      const grace = optionalNumber('--grace-seconds', values['grace-seconds'], 0, GRACE_SECONDS.max);
      printRecord(await withUsers(({ keys, operator }) => keys.rotate(byOperator(key, operator), grace)));
    },
  },
  {
    name: 'users renew',
    arguments: KEY,
    help: 'Extends the plan by one period. If the plan has expired, a new period starts.',
    run: change(
      () =>
        ({ users, operator }, key) =>
          users.renew(byOperator(key, operator)),
    ),
  },
  {
    name: 'users suspend',
    arguments: KEY,
    required: { 'reason <text>': 'the reason, which the user reads' },
    help: 'Rejects all calls of the user until `quotient users resume`.',
    run: change((values) => {
      const reason = reasonOf(values);
      return ({ administration, operator }, key) => administration.suspend(operator, key, reason);
    }),
  },
  {
    name: 'users resume',
    arguments: KEY,
    required: REASON,
    help: 'Accepts the calls of a suspended user again.',
    run: change((values) => {
      const reason = reasonOf(values);
      return ({ administration, operator }, key) => administration.resume(operator, key, reason);
    }),
  },
  {
    name: 'users revoke',
    arguments: KEY,
    options: { 'id <id>': 'revokes only the key with this ID (see `quotient users show`)' },
    help: 'Revokes all API keys of the user, or one.',
    async run({ values }) {
      const key = recordNumber(values.key);
      const id = optionalNumber('--id', values.id, 1, LARGEST_NUMBER);
      const revoked = await withUsers(async ({ keys, operator }) => {
        if (id === undefined) return `${await keys.revokeAll(byOperator(key, operator))} API key(s)`;
        await keys.delete(byOperator(key, operator), id);
        return `API key ${id}`;
      });
      say(`${revoked} of user ${key} revoked`);
    },
  },
  {
    name: 'users erase',
    arguments: KEY,
    required: { 'confirm <key>': 'the record number again, because an erasure cannot be undone' },
    help: "Revokes all keys and deletes the user's data, except the record number and the call counts.",
    async run({ values }) {
      const key = recordNumber(values.key);
      if (values.confirm !== String(key)) throw wrongUsage('--confirm must repeat <key>: an erasure cannot be undone');
      await withUsers(({ users, operator }) => users.erase(byOperator(key, operator)));
      say(`user ${key} erased`);
    },
  },
  {
    name: 'users notices',
    options: { json: 'prints all fields as JSON' },
    help: 'Lists the notices that have not been delivered: waiting, failed or given up.',
    run: printNotices,
  },
];

export const notes = `Each change adds an event to the audit log (\`quotient audit list\`), with the name of the system user.
These commands use DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.`;
