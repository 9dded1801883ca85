import type { Plan } from '#accounts/ledger/plan';
import { hasAddress } from '#accounts/users/email-match-store';
import { DAY, iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';
import { admitMail } from './mail-allowance-store.ts';
import { MAIL_RATES } from './token.ts';

/** A user of an address; instants in Unix ms. `start` and `lastUsedAt` are of the newest owner key. */
export type UserOfAddress = {
  key: number;
  /** As it was registered. */
  email: string;
  plan: Plan;
  createdAt: number;
  start: string | null;
  lastUsedAt: number | null;
};

/** A token that was mailed: its hash, who gets a new key for it, and until when (Unix ms). */
type NewToken = { hash: string; userKey: number; expiresAt: number };

type UserRow = Omit<UserOfAddress, 'createdAt' | 'lastUsedAt'> & { createdAt: Date; lastUsedAt: Date | null };

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

    /**
     * The users of an address, whatever its upper and lower case, and how many there are in all: those first of whom it
     * was confirmed, then those that are there for longest, so that nobody can crowd others out who registers with their
     * address. Those that the operator has revoked have no living owner key, and are not among them.
     */
    async usersOf(email: string, most: number): Promise<{ users: UserOfAddress[]; count: number }> {
      const rows = await prisma.$queryRaw<(UserRow & { count: number })[]>`
        SELECT u.key, u.email, u.plan::text AS plan, u.created_at AS "createdAt", k.start,
          k.last_used_at AS "lastUsedAt", (count(*) OVER ())::int AS count
        FROM "user" u CROSS JOIN LATERAL (
          SELECT start, last_used_at FROM api_key
          WHERE user_key = u.key AND 'account' = ANY(scopes) AND replaced_at IS NULL AND revoked_at IS NULL
          ORDER BY created_at DESC, id DESC LIMIT 1) AS k
        WHERE ${hasAddress(email)} AND u.email IS NOT NULL
        ORDER BY u.verified_at IS NULL, u.key LIMIT ${most}::int`;
      return {
        users: rows.map(({ count: _, createdAt, lastUsedAt, ...rest }) => ({
          ...rest,
          createdAt: createdAt.getTime(),
          lastUsedAt: lastUsedAt?.getTime() ?? null,
        })),
        count: rows[0]?.count ?? 0,
      };
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
