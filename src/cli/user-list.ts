import { createUserStore, type User } from '#accounts/keys/user-store';
import { type Account, createAccountReport } from '#accounts/users/account-report';
import { createAccountStore } from '#accounts/users/account-store';
import { createUsers, type Users } from '#accounts/users/users';
import { command, JSON_OPTION, wholeNumber } from '#cli/arguments';
import { alignedTable, cut, dateOf, minuteOf, printJson, printLines } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { iso, isoOrNull, systemClock } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';
import type { Database } from '#database/database';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { EXIT, ExitError } from '#process/exit';

/** Remedies as commands. The API's own details contain paths, or no remedy. */
const REMEDIES: Partial<Record<ProblemCode, (detail: string) => string>> = {
  not_found: (detail) => `${detail} Use \`npm run users -- list\` or \`npm run users -- show <key>\`.`,
  api_key_revoked: () => 'The user was deleted and cannot be changed.',
  last_owner_key: () =>
    'The last owner key cannot be revoked separately. Replace the key (`rotate <key>`), or revoke all keys (`revoke <key>`).',
};

function inCommands(error: unknown): never {
  const remedy = error instanceof Problem ? REMEDIES[error.code]?.(error.message) : undefined;
  throw remedy === undefined ? error : new ExitError(remedy, EXIT.failed, error);
}

export const HIGHEST = 2_147_483_647;

export const recordNumber = (text = '') =>
  wholeNumber('<key> (the record number in `npm run users -- list`)', text, 1, HIGHEST);

export const withUsers = <Result>(work: (users: Users) => Promise<Result>) =>
  withDatabase(({ prisma }) =>
    work(createUsers({ store: createUserStore(prisma), clock: systemClock })).catch(inCommands),
  );

export const printRecord = (record: object) => printLines(Object.entries(record));

/** Only a key's hash is stored, so the key itself cannot be printed. */
export const printUser = ({ key, name, email, plan, limit, createdAt, validUntil, updatedAt }: User) =>
  printRecord({
    key,
    name,
    email,
    plan,
    limit,
    createdAt: iso(createdAt),
    validUntil: iso(validUntil),
    updatedAt: iso(updatedAt),
  });

function reportOf({ prisma }: Pick<Database, 'prisma'>) {
  const users = createUserStore(prisma);
  return createAccountReport({
    users,
    accounts: createAccountStore(prisma),
    noticesOf: createNoticeSettingsStore(prisma, users).find,
    clock: systemClock,
  });
}

const toJson = ({ key, name, email, plan, limit, state, keys, used, period, ...at }: Account) => ({
  key,
  name,
  email,
  plan,
  limit,
  state,
  keys,
  used,
  periodStart: iso(period.start),
  resetsAt: iso(period.end),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  createdAt: iso(at.createdAt),
  validUntil: iso(at.validUntil),
  updatedAt: iso(at.updatedAt),
});

export const list = command({ options: JSON_OPTION }, async ({ values }) => {
  const accounts = await withDatabase((database) => reportOf(database).list());
  if (values.json) return printJson(accounts.map(toJson));
  const heading = ['key', 'name', 'email', 'state', 'keys', 'used', 'limit', 'last use', 'valid until'];
  const rows = accounts.map(({ key, name, email, state, keys, used, limit, lastUsedAt, validUntil }) => [
    ...[key, cut(name, 14), cut(email, 24), state, keys, used, limit],
    ...[dateOf(lastUsedAt), dateOf(validUntil)],
  ]);
  process.stdout.write(alignedTable([heading, ...rows]));
});

type Shown = Awaited<ReturnType<ReturnType<typeof reportOf>['show']>>;

const keyToJson = ({ id, label, scopes, start, state, seenOrigin, ...at }: Shown['keys'][number]) => ({
  id,
  label,
  scopes,
  start,
  state,
  seenOrigin,
  createdAt: iso(at.createdAt),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  replacedAt: isoOrNull(at.replacedAt),
  expiresAt: isoOrNull(at.expiresAt),
  revokedAt: isoOrNull(at.revokedAt),
});

const noticesInWords = ({ email, webhookUrl, thresholds }: Shown['notices']) =>
  `at ${thresholds.join(', ') || 'no'} percent; email: ${email ? 'yes' : 'no'}; webhook: ${webhookUrl ?? 'none'}`;

function printAccount({ account, keys, notices }: Shown): void {
  const { period } = account;
  printLines([
    ['key', account.key],
    ['name', account.name],
    ['email', account.email],
    ['plan', account.plan],
    ['state', account.state],
    ['used', `${account.used} of ${account.limit}, from ${minuteOf(period.start)} to ${minuteOf(period.end)}`],
    ['last use', minuteOf(account.lastUsedAt)],
    ['created', minuteOf(account.createdAt)],
    ['valid until', minuteOf(account.validUntil)],
    ['notices', noticesInWords(notices)],
  ]);
  const heading = ['id', 'label', 'scopes', 'start', 'state', 'created', 'last use', 'expires'];
  const rows = keys.map(({ id, label, scopes, start, state, createdAt, lastUsedAt, expiresAt }) => [
    ...[id, cut(label, 20), scopes.join(), start ?? '-', state],
    ...[dateOf(createdAt), dateOf(lastUsedAt), dateOf(expiresAt)],
  ]);
  if (rows.length > 0) process.stdout.write(`\n${alignedTable([heading, ...rows])}`);
  for (const { id, seenOrigin } of keys) {
    if (seenOrigin) process.stdout.write(`\nA web page on ${seenOrigin} used the owner key ${id}.\n`);
  }
}

export const show = command({ options: JSON_OPTION, positionals: ['key'] }, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  const shown = await withDatabase((database) => reportOf(database).show(key).catch(inCommands));
  if (values.json) printJson({ ...toJson(shown.account), notices: shown.notices, keys: shown.keys.map(keyToJson) });
  else printAccount(shown);
});
