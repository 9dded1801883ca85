import { createUserStore } from '#accounts/keys/user-store';
import { type Account, createAccountReport } from '#accounts/users/account-report';
import { createAccountStore } from '#accounts/users/account-store';
import { readArguments } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable } from '#cli/table';
import { iso, isoOrNull, systemClock } from '#core/clock';
import type { Database } from '#database/database';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { EXIT } from '#process/exit';
import { inCommands } from './faults.ts';
import { cut, dateOf, JSON_FORM, minuteOf, printJson, printLines } from './print.ts';
import { recordNumber } from './records.ts';

const reportOf = ({ prisma }: Pick<Database, 'prisma'>) =>
  createAccountReport({
    users: createUserStore(prisma),
    accounts: createAccountStore(prisma),
    noticesOf: createNoticeSettingsStore(prisma).find,
    clock: systemClock,
  });

const toJson = ({ key, name, email, plan, limit, state, keys, used, period, ...at }: Account) => ({
  ...{ key, name, email, plan, limit, state, keys, used },
  periodStart: iso(period.start),
  resetsAt: iso(period.end),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  createdAt: iso(at.createdAt),
  validUntil: iso(at.validUntil),
  updatedAt: iso(at.updatedAt),
});

/** Prints every user: state, keys, what is used of the limit, last use. */
export async function list(args: readonly string[]): Promise<number> {
  const { json } = readArguments(args, { ...JSON_FORM, positionals: [] }).values;
  const accounts = await withDatabase((database) => reportOf(database).list());
  if (json) {
    printJson(accounts.map(toJson));
    return EXIT.ok;
  }
  const heading = ['key', 'name', 'email', 'state', 'keys', 'used', 'limit', 'last use', 'valid until'];
  const rows = accounts.map(({ key, name, email, state, keys, used, limit, lastUsedAt, validUntil }) => [
    ...[key, cut(name, 14), cut(email, 24), state, keys, used, limit],
    ...[dateOf(lastUsedAt), dateOf(validUntil)],
  ]);
  process.stdout.write(alignedTable([heading, ...rows]));
  return EXIT.ok;
}

type Shown = Awaited<ReturnType<ReturnType<typeof reportOf>['show']>>;

const keyToJson = ({ id, label, scopes, start, state, seenOrigin, ...at }: Shown['keys'][number]) => ({
  ...{ id, label, scopes, start, state, seenOrigin },
  createdAt: iso(at.createdAt),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  replacedAt: isoOrNull(at.replacedAt),
  expiresAt: isoOrNull(at.expiresAt),
  revokedAt: isoOrNull(at.revokedAt),
});

const noticesInWords = ({ email, webhookUrl, thresholds }: Shown['notices']) =>
  `at ${thresholds.join(', ') || 'no'} per cent; mail: ${email ? 'yes' : 'no'}; webhook: ${webhookUrl ?? 'none'}`;

function printAccount({ account, keys, notices }: Shown): void {
  const { period } = account;
  printLines([
    ['key', account.key],
    ['name', account.name],
    ['email', account.email],
    ['plan', account.plan],
    ['state', account.state],
    [
      'used',
      `${account.used} of ${account.limit}, from ${minuteOf(period.start)} to ${minuteOf(period.end)}`,
    ],
    ['last use', minuteOf(account.lastUsedAt)],
    ['created', minuteOf(account.createdAt)],
    ['valid until', minuteOf(account.validUntil)],
    ['notices', noticesInWords(notices)],
  ]);
  const heading = ['id', 'label', 'scopes', 'start', 'state', 'created', 'last use', 'ends'];
  const rows = keys.map(({ id, label, scopes, start, state, createdAt, lastUsedAt, expiresAt }) => [
    ...[id, cut(label, 20), scopes.join(), start ?? '-', state],
    ...[dateOf(createdAt), dateOf(lastUsedAt), dateOf(expiresAt)],
  ]);
  if (rows.length > 0) process.stdout.write(`\n${alignedTable([heading, ...rows])}`);
  for (const { id, seenOrigin } of keys) {
    if (seenOrigin) process.stdout.write(`\nA page of ${seenOrigin} has used the owner key ${id}.\n`);
  }
}

/** Prints one user, with all keys and which notices go where. */
export async function show(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { ...JSON_FORM, positionals: ['key'] });
  const key = recordNumber(positionals[0]);
  const shown = await withDatabase((database) => reportOf(database).show(key).catch(inCommands));
  if (values.json)
    printJson({ ...toJson(shown.account), notices: shown.notices, keys: shown.keys.map(keyToJson) });
  else printAccount(shown);
  return EXIT.ok;
}
