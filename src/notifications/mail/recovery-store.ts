import { DAY, iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';
import { admitMail } from './mail-allowance-store.ts';
import { MAIL_RATES } from './token.ts';

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
