import { command, JSON_OPTION } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { minuteOf, printJson } from '#cli/print';
import { alignedTable } from '#cli/table';
import { iso, isoOrNull } from '#core/clock';
import { createNoticeStore, type NoticeMessage } from '#notifications/notices/notice-store';

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

/** Prints the notices that have not arrived: those that wait, that failed or were refused, and that were given up. */
export const notices = command({ options: JSON_OPTION }, async ({ values }) => {
  const messages = await withDatabase(({ prisma }) => createNoticeStore(prisma).undelivered());
  if (values.json) return printJson(messages.map(toJson));
  const heading = ['user', 'about', 'by', 'state', 'since', 'attempts', 'next attempt', 'reason'];
  const rows = messages.map((message) => [
    ...[message.userKey, about(message), CHANNELS[message.channel], state(message)],
    ...[minuteOf(message.createdAt), message.attempts, minuteOf(message.dueAt), message.lastError ?? '-'],
  ]);
  process.stdout.write(rows.length === 0 ? 'No notice waits.\n' : alignedTable([heading, ...rows]));
});
