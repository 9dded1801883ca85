import { byOperator } from '#accounts/keys/api-key';
import { PLAN_NAMES } from '#accounts/ledger/plan';
import { MOST_CALLS } from '#accounts/users/administration';
import { choice, command, wholeNumber, wrongUsage } from '#cli/arguments';
import { printJsonText } from '#cli/command-line';
import { line } from '#operator/parameters';
import { printUser, recordNumber, withUsers } from './user-services.ts';

const text = { type: 'string' } as const;
const LONGEST_REASON = 500;
const reasonForm = line('The reason', '', LONGEST_REASON);

/** Throws `UsageError`. The text is not repeated. */
function reasonOf(given: string | undefined): string {
  if (given === undefined) throw wrongUsage('--reason is missing: use --reason <text>');
  const parsed = reasonForm.safeParse(given);
  if (parsed.success) return parsed.data;
  throw wrongUsage(
    `--reason must have 1 to ${LONGEST_REASON} characters in one line, without control or invisible characters`,
  );
}

const withReason = { options: { reason: text }, positionals: ['key'] };

export const suspend = command(withReason, async ({ values, positionals }) => {
  const [key, reason] = [recordNumber(positionals[0]), reasonOf(values.reason)];
  printUser(await withUsers(({ administration, operator }) => administration.suspend(operator, key, reason)));
});

export const resume = command(withReason, async ({ values, positionals }) => {
  const [key, reason] = [recordNumber(positionals[0]), reasonOf(values.reason)];
  printUser(await withUsers(({ administration, operator }) => administration.resume(operator, key, reason)));
});

const planForm = { options: { from: text, limit: text }, positionals: ['key', 'plan'] };

export const plan = command(planForm, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  const change = {
    plan: choice('<plan>', positionals[1], PLAN_NAMES),
    from: choice('--from', values.from, ['now', 'next']),
    limit: values.limit === undefined ? undefined : wholeNumber('--limit', values.limit, 0, MOST_CALLS),
  };
  printUser(await withUsers(({ administration, operator }) => administration.plan(operator, key, change)));
});

const creditsForm = { options: { reason: text }, positionals: ['key', 'calls'] };

export const credits = command(creditsForm, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  const grant = {
    calls: wholeNumber('<calls>', positionals[1] ?? '', 1, MOST_CALLS),
    reason: reasonOf(values.reason),
  };
  printUser(await withUsers(({ administration, operator }) => administration.credits(operator, key, grant)));
});

/** The record number must be given twice, because an erasure cannot be undone. */
export const erase = command({ options: { confirm: text }, positionals: ['key'] }, async ({ values, positionals }) => {
  const key = recordNumber(positionals[0]);
  if (values.confirm !== String(key)) throw wrongUsage('--confirm must repeat <key>: an erasure cannot be undone');
  await withUsers(({ users, operator }) => users.erase(byOperator(key, operator)));
  process.stdout.write(`user ${key} erased\n`);
});

export const exportUser = command({ positionals: ['key'] }, async ({ positionals }) => {
  const key = recordNumber(positionals[0]);
  printJsonText(await withUsers(({ users }) => users.exportJson(key)));
});
