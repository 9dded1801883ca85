import type { Given } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, minuteOf, print, printJson } from '#cli/output';
import { iso, isoOrNull } from '#core/clock';
import { createNoticeStore, type NoticeMessage } from '#notifications/notices/notice-store';

const subjectOf = ({ kind, threshold }: NoticeMessage) =>
  kind === 'usage' ? `${threshold} % used` : `${threshold} day(s) before the end`;

const stateOf = ({ dueAt, lastError }: NoticeMessage) =>
  dueAt === null ? 'given up' : lastError === null ? 'waiting' : 'failed';

const toJson = (message: NoticeMessage) => ({
  notice: message.notice,
  user: message.userKey,
  about: subjectOf(message),
  by: message.channel,
  state: stateOf(message),
  since: iso(message.createdAt),
  attempts: message.attempts,
  nextAttempt: isoOrNull(message.dueAt),
  reason: message.lastError,
});

export async function printNotices({ flags }: Given): Promise<void> {
  const messages = await withDatabase(({ prisma }) => createNoticeStore(prisma).undelivered());
  if (flags.has('json')) return printJson(messages.map(toJson));
  const heading = ['user', 'about', 'by', 'state', 'since', 'attempts', 'next attempt', 'reason'];
  const rows = messages.map((message) => [
    String(message.userKey),
    subjectOf(message),
    message.channel,
    stateOf(message),
    minuteOf(message.createdAt),
    message.attempts,
    minuteOf(message.dueAt),
    message.lastError ?? '-',
  ]);
  print(rows.length === 0 ? 'No notices are waiting.\n' : alignedTable([heading, ...rows]));
}
