import { DAY, iso, SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { MAIL_RATES, type MailRate, mailSubject } from './one-time-code.ts';

/** A token that was mailed: its hash, who gets a new key for it, and until when (Unix ms). */
type NewToken = { hash: string; userKey: number; expiresAt: number };

/** What recovery by mail keeps: who was asked for, and the tokens that were mailed. */
export function createRecoveryStore(prisma: PrismaClient) {
  return {
    /**
     * Adds the message `recover` (its id a UUID) for an address, unless it was sent enough; tells whether it did. One
     * statement, the same whether anybody has the address.
     */
    async request(id: string, email: string, now: number): Promise<boolean> {
      const rows = await prisma.$queryRaw<unknown[]>`
        WITH admitted AS (${admitMail('recover', email, MAIL_RATES.recover, now)}),
        added AS (
          INSERT INTO outbox_message (id, kind, payload)
          SELECT ${id}::uuid, 'recover', ${JSON.stringify({ email })}::jsonb FROM admitted)
        SELECT subject FROM admitted`;
      return rows.length > 0;
    },

    async addTokens(tokens: readonly NewToken[]): Promise<void> {
      await prisma.mailToken.createMany({
        data: tokens.map(({ expiresAt, ...rest }) => ({ ...rest, expiresAt: new Date(expiresAt) })),
      });
    },

    /** Whom a token is for. Whether it can be used is decided by what makes the new key. */
    async userOf(hash: string): Promise<number | undefined> {
      const token = await prisma.mailToken.findUnique({ where: { hash } });
      return token?.userKey ?? undefined;
    },

    /** Tokens and registrations that have ended are no more, nor are counts that bound nothing any more. */
    async tidy(now: number): Promise<void> {
      const past = { lte: new Date(now) };
      await prisma.mailToken.deleteMany({ where: { expiresAt: past } });
      await prisma.pendingRegistration.deleteMany({ where: { expiresAt: past } });
      await prisma.$executeRaw`
        DELETE FROM mail_allowance WHERE last_at < ${iso(now - DAY)}::timestamptz`;
    },
  };
}

export type RecoveryStore = ReturnType<typeof createRecoveryStore>;

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
