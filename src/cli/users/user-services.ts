import { type Given, wholeNumber } from '#cli/arguments';
import { alignedTable, cut, dateOf, minuteOf, printJson, printLines } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import type { Operator } from '#core/actor';
import { iso, systemClock } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';
import type { Database } from '#database/database';
import { LARGEST_NUMBER } from '#keys/api-key';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { keyRecord } from '#operator/users/directory';
import { EXIT, ExitError } from '#process/exit';
import { createUserServices, type UserServices } from '#user-services';
import { accountRecord, createAccountReport } from '#users/administration/account-report';
import { createAccountStore } from '#users/administration/account-store';
import type { User } from '#users/user';
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

export const optionalNumber = (name: string, text: string | undefined, min: number, max: number) =>
  text === undefined ? undefined : wholeNumber(name, text, min, max);

export const recordNumber = (text = '') =>
  wholeNumber('<key> (the record number in `npm run users -- list`)', text, 1, LARGEST_NUMBER);

export type Services = UserServices & { operator: Operator };

export const withUsers = <Result>(work: (services: Services) => Promise<Result>) =>
  withDatabase(({ prisma }) => {
    const services = createUserServices(prisma);
    return work({ ...services, operator: cliOperator() }).catch(inCommands);
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
    keysOf: createUserServices(prisma).keys.listAll,
    noticesOf: createNoticeSettingsStore(prisma).find,
    clock: systemClock,
  });
}

type Shown = Awaited<ReturnType<ReturnType<typeof reportOf>['show']>>;

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
    id,
    cut(label, 20),
    scopes.join(),
    start ?? '-',
    state,
    dateOf(createdAt),
    dateOf(lastUsedAt),
    dateOf(expiresAt),
  ]);
  if (rows.length > 0) process.stdout.write(`\n${alignedTable([heading, ...rows])}`);
  for (const { id, seenOrigin } of keys) {
    if (seenOrigin) process.stdout.write(`\nA web page on ${seenOrigin} used the owner key ${id}.\n`);
  }
}

export async function show({ values, flags }: Given): Promise<void> {
  const key = recordNumber(values.key);
  const shown = await withDatabase((database) => reportOf(database).show(key).catch(inCommands));
  if (flags.has('json'))
    printJson({ ...accountRecord(shown.account), notices: shown.notices, keys: shown.keys.map(keyRecord) });
  else printAccount(shown);
}
