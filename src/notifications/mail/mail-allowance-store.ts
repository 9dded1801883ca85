import { iso, SECOND } from '#core/clock';
import { Prisma } from '#generated/prisma/client';
import { type MailRate, mailSubject } from './token.ts';

/**
 * As a part of a statement: counts a mail to an address, and gives a row where it may be sent. It does not ask whether
 * there is a user of the address, so it costs and tells the same. The row is locked: of two at once the second sees the
 * first. A clock that was set back shuts nobody out.
 * @param now Unix ms
 */
export function admitMail(
  kind: Parameters<typeof mailSubject>[0],
  email: string,
  { apart, most, window }: MailRate,
  now: number,
): Prisma.Sql {
  const isOver = Prisma.sql`
    abs(extract(epoch FROM excluded.window_start - held.window_start)) >= ${window / SECOND}::float8`;
  return Prisma.sql`
    INSERT INTO mail_allowance AS held (subject, last_at, window_start, count)
    VALUES (${mailSubject(kind, email)}, ${iso(now)}::timestamptz, ${iso(now)}::timestamptz, 1)
    ON CONFLICT (subject) DO UPDATE SET last_at = excluded.last_at,
      window_start = CASE WHEN ${isOver} THEN excluded.window_start ELSE held.window_start END,
      count = CASE WHEN ${isOver} THEN 1 ELSE held.count + 1 END
    WHERE abs(extract(epoch FROM excluded.last_at - held.last_at)) >= ${apart / SECOND}::float8
      AND (${isOver} OR held.count < ${most}::int)
    RETURNING subject`;
}
