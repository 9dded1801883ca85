import { iso } from '#domain/clock';
import { EXIT } from '#exit';
import { createNoticeStore, type NoticeMessage } from '#stores/notices/notices';
import { readArguments, withDatabase } from '../command-line.ts';
import { alignedTable } from '../table.ts';

const CHANNELS = { 'notice-mail': 'mail', 'notice-webhook': 'webhook' } as const;

const about = ({ kind, threshold }: NoticeMessage) =>
  kind === 'usage' ? `${threshold} % used` : `${threshold} day(s) before the end`;

const state = ({ dueAt, lastError }: NoticeMessage) =>
  dueAt === null ? 'given up' : lastError === null ? 'waiting' : 'failed';

const told = (message: NoticeMessage) => ({
  notice: message.notice,
  user: message.userKey,
  about: about(message),
  by: CHANNELS[message.channel],
  state: state(message),
  since: iso(message.createdAt),
  attempts: message.attempts,
  nextAttempt: message.dueAt === null ? null : iso(message.dueAt),
  reason: message.lastError,
});

/** Prints the notices that have not arrived: those that wait, that failed or were refused, and that were given up. */
export async function notices(args: readonly string[]): Promise<number> {
  const form = { options: { json: { type: 'boolean', default: false } }, positionals: [] } as const;
  const { json } = readArguments(args, form).values;
  const messages = await withDatabase(({ prisma }) => createNoticeStore(prisma).undelivered());
  const all = messages.map(told);
  if (json) {
    process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
    return EXIT.ok;
  }
  const heading = ['user', 'about', 'by', 'state', 'since', 'attempts', 'next attempt', 'reason'];
  const minute = (time: string | null) => (time === null ? '-' : `${time.slice(0, 16)}Z`);
  const rows = all.map((one) => [
    ...[one.user, one.about, one.by, one.state, minute(one.since), one.attempts],
    ...[minute(one.nextAttempt), one.reason ?? '-'],
  ]);
  process.stdout.write(rows.length === 0 ? 'No notice waits.\n' : alignedTable([heading, ...rows]));
  return EXIT.ok;
}
