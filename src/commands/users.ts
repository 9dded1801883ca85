import '../supported-node.ts';
import { iso, systemClock } from '#domain/clock';
import { PLAN_NAMES } from '#domain/quota/plan';
import { registrationForm } from '#domain/quota/registration';
import type { UserRecord } from '#domain/records';
import { EXIT } from '#exit';
import { createUsers, GRACE_SECONDS, type Users } from '#services/quota/users';
import { createUserStore, type User } from '#stores/quota/users';
import { readArguments, runCommandLine, wholeNumber, withDatabase, wrongUsage } from './command-line.ts';
import { alignedTable } from './table.ts';

/** The largest integer of the database. */
const HIGHEST = 2_147_483_647;

const USAGE = `Manages users. <key> is a user's record number, as shown by \`list\`.

  npm run users -- create --name <name> --email <address> --plan <${PLAN_NAMES.join('|')}> [--limit <calls>]
  npm run users -- list [--json]
  npm run users -- limit <key> <calls>      set the calls allowed per period
  npm run users -- rotate <key> [--grace-seconds <seconds>]
                                            a new API key; the old one can still read, for ${GRACE_SECONDS.default} s by default
  npm run users -- renew <key>              extend by one period; if expired, start a new one now
  npm run users -- revoke <key>             revoke all API keys of the user

create and rotate print the new API key. It cannot be shown again: only its hash is stored.
Uses DATABASE_URL, or the embedded database in DATA_DIR, also while the service runs.
Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

const recordNumber = (text = '') => wholeNumber('<key>, the record number,', text, 1, HIGHEST);

const withUsers = <Result>(work: (users: Users) => Promise<Result>) =>
  withDatabase(({ prisma }) => work(createUsers({ store: createUserStore(prisma), clock: systemClock })));

/** A user without the API key, of which only the hash is stored. */
const listed = ({ key, name, email, plan, limit, createdAt, validUntil, updatedAt }: User) => ({
  key,
  name,
  email,
  plan,
  limit,
  createdAt: iso(createdAt),
  validUntil: iso(validUntil),
  updatedAt: iso(updatedAt),
});

function printRecord(record: UserRecord | ReturnType<typeof listed>): void {
  const rows = Object.entries(record).map(([name, value]) => [
    `${name}:`,
    value === null ? '-' : String(value),
  ]);
  process.stdout.write(alignedTable(rows));
}

async function create(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const form = { options: { name: text, email: text, plan: text, limit: text }, positionals: [] } as const;
  const { limit, ...given } = readArguments(args, form).values;
  const allowance = limit === undefined ? undefined : wholeNumber('--limit', limit, 0, HIGHEST);
  const parsed = registrationForm.safeParse(given);
  if (!parsed.success) {
    const faults = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
    const lines = [...faults].map(([name, message]) => {
      const isMissing = given[name as keyof typeof given] === undefined;
      const { fix } = registrationForm.shape[name as keyof typeof registrationForm.shape].meta() ?? {};
      return `--${name} ${isMissing ? 'is missing' : message}: give ${fix}`;
    });
    throw wrongUsage(lines.join('\n'));
  }
  printRecord(await withUsers((users) => users.create(parsed.data, allowance)));
  return EXIT.ok;
}

async function list(args: readonly string[]): Promise<number> {
  const form = { options: { json: { type: 'boolean', default: false } }, positionals: [] } as const;
  const { json } = readArguments(args, form).values;
  const users = (await withUsers((all) => all.list())).map(listed);
  if (json) {
    process.stdout.write(`${JSON.stringify(users, null, 2)}\n`);
    return EXIT.ok;
  }
  const heading = ['key', 'name', 'email', 'plan', 'limit', 'created', 'valid until'];
  const rows = users.map(({ key, name, email, plan, limit, createdAt, validUntil }) => {
    const times = [createdAt, validUntil].map((time) => `${time.slice(0, 16)}Z`);
    return [key, name ?? '-', email ?? '-', plan, limit, ...times];
  });
  process.stdout.write(alignedTable([heading, ...rows]));
  return EXIT.ok;
}

async function limit(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments(args, { options: {}, positionals: ['key', 'calls'] });
  const key = recordNumber(positionals[0]);
  const calls = wholeNumber('<calls>', positionals[1] ?? '', 0, HIGHEST);
  printRecord(listed(await withUsers((users) => users.limit(key, calls))));
  return EXIT.ok;
}

async function rotate(args: readonly string[]): Promise<number> {
  const form = { options: { 'grace-seconds': { type: 'string' } }, positionals: ['key'] } as const;
  const { values, positionals } = readArguments(args, form);
  const key = recordNumber(positionals[0]);
  const given = values['grace-seconds'];
  const grace = given === undefined ? undefined : wholeNumber('--grace-seconds', given, 0, GRACE_SECONDS.max);
  printRecord(await withUsers((users) => users.rotate(key, grace)));
  return EXIT.ok;
}

async function renew(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments(args, { options: {}, positionals: ['key'] });
  const key = recordNumber(positionals[0]);
  printRecord(listed(await withUsers((users) => users.renew(key))));
  return EXIT.ok;
}

async function revoke(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments(args, { options: {}, positionals: ['key'] });
  const key = recordNumber(positionals[0]);
  const count = await withUsers((users) => users.revoke(key));
  process.stdout.write(`${count} API key(s) of user ${key} revoked\n`);
  return EXIT.ok;
}

await runCommandLine(USAGE, { create, list, limit, rotate, renew, revoke });
