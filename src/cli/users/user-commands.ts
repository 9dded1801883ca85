import { byOperator, GRACE_SECONDS } from '#accounts/keys/api-key';
import { PLAN_NAMES } from '#accounts/ledger/plan';
import { registrationForm } from '#accounts/users/registration';
import { command, JSON_OPTION, wholeNumber, wrongUsage } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { alignedTable, minuteOf, printJson } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { iso, isoOrNull } from '#core/clock';
import { faultText } from '#core/problems';
import { createNoticeStore, type NoticeMessage } from '#notifications/notices/notice-store';
import { USER_SORTS } from '#operator/users/search-store';
import { credits, erase, exportUser, plan, resume, suspend } from './user-administration.ts';
import { find, list } from './user-list.ts';
import { HIGHEST, printRecord, printUser, recordNumber, show, withUsers } from './user-services.ts';

const CHANNELS = { 'notice-mail': 'mail', 'notice-webhook': 'webhook' } as const;

const about = ({ kind, threshold }: NoticeMessage) =>
  kind === 'usage' ? `${threshold} % used` : `${threshold} day(s) before the end`;

const state = ({ dueAt, lastError }: NoticeMessage) =>
  dueAt === null ? 'given up' : lastError === null ? 'waiting' : 'failed';

const toJson = (message: NoticeMessage) => ({
  notice: message.notice,
  user: message.userKey,
  about: about(message),
  by: CHANNELS[message.channel],
  state: state(message),
  since: iso(message.createdAt),
  attempts: message.attempts,
  nextAttempt: isoOrNull(message.dueAt),
  reason: message.lastError,
});

export const notices = command({ options: JSON_OPTION }, async ({ values }) => {
  const messages = await withDatabase(({ prisma }) => createNoticeStore(prisma).undelivered());
  if (values.json) return printJson(messages.map(toJson));
  const heading = ['user', 'about', 'by', 'state', 'since', 'attempts', 'next attempt', 'reason'];
  const rows = messages.map((message) => [
    ...[message.userKey, about(message), CHANNELS[message.channel], state(message)],
    ...[minuteOf(message.createdAt), message.attempts, minuteOf(message.dueAt), message.lastError ?? '-'],
  ]);
  process.stdout.write(rows.length === 0 ? 'No notices are waiting.\n' : alignedTable([heading, ...rows]));
});

const USAGE = `Manages users. <key> is the record number of a user, as shown by \`list\`.

  npm run users -- create --name <name> --email <address> --plan <${PLAN_NAMES.join('|')}> [--limit <calls>]
  npm run users -- list [--sort <${USER_SORTS.join('|')}>] [--state <state>] [--plan <plan>] [--limit <users>] [--json]
                                            list users with state, active keys, used calls and last use; without
                                            --sort, by record number. With --limit, only the first users in the
                                            sort order or, without --sort, the newest users
  npm run users -- find <text> [options]    the same for users whose record number is <text>, or whose email address,
                                            word of the name or key starts with <text>
  npm run users -- show <key> [--json]      show one user with all keys
  npm run users -- export <key>             everything that is stored about a user, as JSON without secrets
  npm run users -- limit <key> <calls>      set the calls allowed per period
  npm run users -- plan <key> <${PLAN_NAMES.join('|')}> --from <now|next> [--limit <calls>]
                                            change the plan: now, which starts a new period and term, or from the next
                                            period on
  npm run users -- credits <key> <calls> --reason <text>
                                            grant additional calls for the current period
  npm run users -- rotate <key> [--grace-seconds <seconds>]
                                            create an owner key; old owner keys can still read data for the
                                            given time (default: ${GRACE_SECONDS.default} s); all other keys remain valid
  npm run users -- renew <key>              extend the plan by one period; if it has expired, start a new period
  npm run users -- suspend <key> --reason <text>
                                            reject all calls until \`resume\`; the user sees the reason
  npm run users -- resume <key> --reason <text>
  npm run users -- revoke <key> [--id <id>] revoke all API keys of the user, or only the key with this ID (see \`show\`)
  npm run users -- erase <key> --confirm <key>
                                            revoke all keys and delete the user's data, except the record number and
                                            the call counts; this cannot be undone
  npm run users -- notices [--json]         list undelivered notices: waiting, failed or given up

create and rotate print the new API key. The key cannot be shown again, because only its hash is stored.
Each change adds an event to the audit log (\`npm run audit\`), with the name of the system user.
Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory.
`;

const text = { type: 'string' } as const;
const registration = { options: { name: text, email: text, plan: text, limit: text } };

const create = command(registration, async ({ values: { limit, ...given } }) => {
  const allowance = limit === undefined ? undefined : wholeNumber('--limit', limit, 0, HIGHEST);
  const parsed = registrationForm.safeParse(given);
  if (!parsed.success) {
    const faults = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
    const lines = [...faults].map(([name, message]) => {
      const isMissing = given[name as keyof typeof given] === undefined;
      const { fix } = registrationForm.shape[name as keyof typeof registrationForm.shape].meta() ?? {};
      return faultText({ location: `--${name}`, message: isMissing ? 'is missing' : message, fix: `use ${fix}` });
    });
    throw wrongUsage(lines.join('\n'));
  }
  printRecord(await withUsers(({ users, operator }) => users.create(parsed.data, allowance, operator)));
});

const limit = command({ positionals: ['key', 'calls'] }, async ({ positionals }) => {
  const key = recordNumber(positionals[0]);
  const calls = wholeNumber('<calls>', positionals[1] ?? '', 0, HIGHEST);
  printUser(await withUsers(({ administration, operator }) => administration.limit(operator, key, calls)));
});

const rotation = { options: { 'grace-seconds': text }, positionals: ['key'] };

const rotate = command(rotation, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  const given = values['grace-seconds'];
  const grace = given === undefined ? undefined : wholeNumber('--grace-seconds', given, 0, GRACE_SECONDS.max);
  printRecord(await withUsers(({ users, operator }) => users.rotate(byOperator(key, operator), grace)));
});

const renew = command({ positionals: ['key'] }, async ({ positionals }) => {
  const key = recordNumber(positionals[0]);
  printUser(await withUsers(({ users, operator }) => users.renew(byOperator(key, operator))));
});

const revoke = command({ options: { id: text }, positionals: ['key'] }, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  if (values.id !== undefined) {
    const id = wholeNumber('--id', values.id, 1, HIGHEST);
    await withUsers(({ users, operator }) => users.deleteKey(byOperator(key, operator), id));
    process.stdout.write(`API key ${id} of user ${key} revoked\n`);
  } else {
    const count = await withUsers(({ users, operator }) => users.revoke(byOperator(key, operator)));
    process.stdout.write(`${count} API key(s) of user ${key} revoked\n`);
  }
});

export const users: CommandLine = {
  name: 'users',
  usage: USAGE,
  commands: {
    ...{ create, list, find, show, export: exportUser, limit, plan, credits, rotate, renew },
    ...{ suspend, resume, revoke, erase, notices },
  },
};
