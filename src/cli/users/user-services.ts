import { createUserStore, type User } from '#accounts/keys/user-store';
import { type Account, createAccountReport } from '#accounts/users/account-report';
import { createAccountStore } from '#accounts/users/account-store';
import { type Administration, createAdministration } from '#accounts/users/administration';
import { createAdministrationStore } from '#accounts/users/administration-store';
import { createUsers, type Users } from '#accounts/users/users';
import { command, JSON_OPTION, wholeNumber } from '#cli/arguments';
import { alignedTable, cut, dateOf, minuteOf, printJson, printLines } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { iso, isoOrNull, systemClock } from '#core/clock';
import type { Operator } from '#core/operator';
import { Problem, type ProblemCode } from '#core/problems';
import type { Database } from '#database/database';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { EXIT, ExitError } from '#process/exit';
import { cliOperator } from './operator.ts';

/** Remedies as commands. The API's own details contain paths, or no remedy. */
const REMEDIES: Partial<Record<ProblemCode, (detail: string) => string>> = {
  not_found: (detail) => `${detail} Use \`npm run users -- list\` or \`npm run users -- show <key>\`.`,
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

/** The services of the operator's changes, and the system user who makes them. */
export const withUsers = <Result>(
  work: (services: { users: Users; administration: Administration; operator: Operator }) => Promise<Result>,
) =>
  withDatabase(({ prisma }) => {
    const store = createUserStore(prisma);
    const users = createUsers({ store, clock: systemClock });
    const administration = createAdministration({
      store: createAdministrationStore(prisma),
      find: store.find,
      clock: systemClock,
    });
    return work({ users, administration, operator: cliOperator() }).catch(inCommands);
  });

export const printRecord = (record: object) => printLines(Object.entries(record));

/** Only a key's hash is stored, so the key itself cannot be printed. */
export const printUser = ({ next, suspension, ...user }: User) =>
  printRecord({
    key: user.key,
    name: user.name,
    email: user.email,
    plan: user.plan,
    ...(next && { 'next plan': `${next.plan} with ${next.limit} calls, from ${iso(next.from)}` }),
    limit: user.limit,
    createdAt: iso(user.createdAt),
    validUntil: iso(user.validUntil),
    updatedAt: iso(user.updatedAt),
    ...(suspension && { suspended: `${iso(suspension.since)}: ${suspension.reason}` }),
  });

export function reportOf({ prisma }: Pick<Database, 'prisma'>) {
  return createAccountReport({
    accounts: createAccountStore(prisma),
    noticesOf: createNoticeSettingsStore(prisma, createUserStore(prisma)).find,
    clock: systemClock,
  });
}

export const toJson = ({ key, name, email, plan, limit, state, keys, used, period, ...rest }: Account) => ({
  key,
  name,
  email,
  plan,
  nextPlan: rest.next ? { ...rest.next, from: iso(rest.next.from) } : null,
  limit,
  credits: rest.credits,
  periodLimit: rest.periodLimit,
  state,
  suspension: rest.suspension ? { since: iso(rest.suspension.since), reason: rest.suspension.reason } : null,
  keys,
  used,
  periodStart: iso(period.start),
  resetsAt: iso(period.end),
  lastUsedAt: isoOrNull(rest.lastUsedAt),
  createdAt: iso(rest.createdAt),
  validUntil: iso(rest.validUntil),
  updatedAt: iso(rest.updatedAt),
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
    ...(account.suspension ? [['suspended', account.suspension.reason] as const] : []),
    ...(account.next ? [['next plan', `${account.next.plan}, from ${minuteOf(account.next.from)}`] as const] : []),
    ['used', `${account.used} of ${account.periodLimit}, from ${minuteOf(period.start)} to ${minuteOf(period.end)}`],
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
