import { iso, SECOND } from '#core/clock';
import { toBytes } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { MAIL_RATES, type MailRate, mailSubject } from './one-time-code.ts';

/** `hash` is the hash of a one-time code. `expiresAt` is in Unix ms. */
type NewToken = { hash: string; userKey: number; expiresAt: number };

export function createRecoveryStore(prisma: PrismaClient) {
  return {
    /** Returns whether the limit allows the email. Registered and unregistered addresses get the same statement. */
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
      await prisma.oneTimeCode.createMany({
        data: tokens.map(({ hash, userKey, expiresAt }) => ({
          hash: Buffer.from(hash, 'hex'),
          userKey,
          expiresAt: new Date(expiresAt),
        })),
      });
    },

    /** Does not check whether the code is valid. The statement that creates the new key checks the code. */
    async userOf(hash: string): Promise<number | undefined> {
      const token = await prisma.oneTimeCode.findUnique({ where: { hash: Buffer.from(hash, 'hex') } });
      return token?.userKey ?? undefined;
    },
  };
}

export type RecoveryStore = ReturnType<typeof createRecoveryStore>;

/**
 * SQL fragment that counts an email to an address, and returns a row if the email is allowed. It does not look up users
 * by the address, so neither timing nor cost reveals whether users exist. It locks the row, so the second of two
 * simultaneous requests counts the first. If the clock is set back, no address is blocked.
 * @param now in Unix ms
 */
export function admitMail(
  kind: Parameters<typeof mailSubject>[0],
  email: string,
  { apart, most, window }: MailRate,
  now: number,
): Prisma.Sql {
  const hasEnded = Prisma.sql`
    abs(extract(epoch FROM excluded.window_start - held.window_start)) >= ${window / SECOND}::float8`;
  return Prisma.sql`
    INSERT INTO mail_allowance AS held (subject, last_at, window_start, count)
    VALUES (${toBytes(mailSubject(kind, email))}, ${iso(now)}::timestamptz, ${iso(now)}::timestamptz, 1)
    ON CONFLICT (subject) DO UPDATE SET last_at = excluded.last_at,
      window_start = CASE WHEN ${hasEnded} THEN excluded.window_start ELSE held.window_start END,
      count = CASE WHEN ${hasEnded} THEN 1 ELSE held.count + 1 END
    WHERE abs(extract(epoch FROM excluded.last_at - held.last_at)) >= ${apart / SECOND}::float8
      AND (${hasEnded} OR held.count < ${most}::int)
    RETURNING subject`;
}
