import { type Given, wholeNumber } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, cut, dateOf, minuteOf, number, print, printJson, printLines } from '#cli/output';
import type { Operator } from '#core/actor';
import { systemClock } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';
import type { Database } from '#database/database';
import { LARGEST_NUMBER } from '#keys/api-key';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { keyRecord } from '#operator/users/directory';
import { EXIT, ExitError } from '#process/exit';
import { createUserServices, type UserServices } from '#user-services';
import { type Account, accountRecord, createAccountReport } from '#users/administration/account-report';
import { createAccountStore } from '#users/administration/account-store';
import { cliOperator } from './operator.ts';

/** Remedies as commands. The API's own details contain paths, or no remedy. */
const REMEDIES: Partial<Record<ProblemCode, (detail: string) => string>> = {
  not_found: (detail) => `${detail} Use \`quotient users list\` or \`quotient users show <key>\`.`,
  last_owner_key: () =>
    'The last owner key cannot be revoked separately. Replace the key (`quotient users rotate <key>`), or revoke all keys (`quotient users revoke <key>`).',
};

function inCommands(error: unknown): never {
  const remedy = error instanceof Problem ? REMEDIES[error.code]?.(error.message) : undefined;
  throw remedy === undefined ? error : new ExitError(remedy, EXIT.failed, error);
}

export const optionalNumber = (name: string, text: string | undefined, min: number, max: number) =>
  text === undefined ? undefined : wholeNumber(name, text, min, max);

export const recordNumber = (text = '') =>
  wholeNumber('<key> (the record number in `quotient users list`)', text, 1, LARGEST_NUMBER);

export type Services = UserServices & { operator: Operator };

export const withUsers = <Result>(work: (services: Services, report: Report) => Promise<Result>) =>
  withDatabase((database) =>
    work({ ...createUserServices(database.prisma), operator: cliOperator() }, reportOf(database)).catch(inCommands),
  );

/** Numbers other than record numbers are printed with separators. */
export const printRecord = ({ key, ...record }: { key: number }) =>
  printLines([['key', String(key)], ...(Object.entries(record) as [string, string | number][])]);

export function reportOf({ prisma }: Pick<Database, 'prisma'>) {
  return createAccountReport({
    accounts: createAccountStore(prisma),
    keysOf: createUserServices(prisma).keys.listAll,
    noticesOf: createNoticeSettingsStore(prisma).find,
    clock: systemClock,
  });
}

type Report = ReturnType<typeof reportOf>;
type Shown = Awaited<ReturnType<Report['show']>>;

const noticesInWords = ({ email, webhookUrl, thresholds }: Shown['notices']) =>
  `at ${thresholds.join(', ') || 'no'} percent; email: ${email ? 'yes' : 'no'}; webhook: ${webhookUrl ?? 'none'}`;

const accountLines = ({
  key,
  period,
  next,
  suspension,
  ...account
}: Account): [name: string, value: string | null][] => [
  ['key', String(key)],
  ['name', account.name],
  ['email', account.email],
  ['plan', account.plan],
  ['next plan', next ? `${next.plan} with ${number(next.limit)} calls, from ${minuteOf(next.from)}` : 'none'],
  ['state', account.state],
  ['suspended', suspension ? suspension.reason : 'no'],
  ['limit', number(account.limit)],
  ['credits', number(account.credits)],
  ['used', `${number(account.used)} of ${number(account.periodLimit)}`],
  ['period', `from ${minuteOf(period.start)} to ${minuteOf(period.end)}`],
  ['last use', minuteOf(account.lastUsedAt)],
  ['created', minuteOf(account.createdAt)],
  ['valid until', minuteOf(account.validUntil)],
];

/** Prints the user, and the values that differ: `limit: 10,000 → 500`. */
export function printChange(before: Account, after: Account): void {
  const [newLines, oldLines] = [accountLines(after), accountLines(before)];
  const changes = newLines.flatMap(([name, value], i): [string, string][] => {
    const old = oldLines[i]?.[1];
    return old === value ? [] : [[name, `${old ?? '-'} → ${value ?? '-'}`]];
  });
  printLines([...newLines.slice(0, 3), ...(changes.length > 0 ? changes : [['changes', 'none'] as const])]);
}

function printAccount({ account, keys, notices }: Shown): void {
  printLines([...accountLines(account), ['notices', noticesInWords(notices)]]);
  const heading = ['id', 'label', 'scopes', 'start', 'state', 'created', 'last use', 'expires'];
  const rows = keys.map(({ id, label, scopes, start, state, createdAt, lastUsedAt, expiresAt }) => [
    String(id),
    cut(label, 20),
    scopes.join(),
    start ?? '-',
    state,
    dateOf(createdAt),
    dateOf(lastUsedAt),
    dateOf(expiresAt),
  ]);
  if (rows.length > 0) print(`\n${alignedTable([heading, ...rows])}`);
  for (const { id, seenOrigin } of keys) {
    if (seenOrigin) print(`\nA web page on ${seenOrigin} used the owner key ${id}.\n`);
  }
}

export async function show({ values, flags }: Given): Promise<void> {
  const key = recordNumber(values.key);
  const shown = await withDatabase((database) => reportOf(database).show(key).catch(inCommands));
  if (flags.has('json'))
    printJson({ ...accountRecord(shown.account), notices: shown.notices, keys: shown.keys.map(keyRecord) });
  else printAccount(shown);
}
