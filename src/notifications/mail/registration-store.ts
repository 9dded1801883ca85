import { iso, SECOND } from '#core/clock';
import { arrayOf, toBytes } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Plan, Term } from '#users/plan';
import type { RegistrationForm } from '#users/registration';
import type { OwnerKey } from '#users/user';
import { MAIL_RATES, type MailRate, mailSubject } from './one-time-code.ts';

/** A registration whose address is not verified yet. `expiresAt` is in Unix ms. */
type PendingRegistration = { id: string; email: string; plan: Plan; expiresAt: number };

export function createRegistrationStore(prisma: PrismaClient) {
  return {
    /** Returns whether the limit allows the email. Registered and unregistered addresses get the same statement. */
    async request(
      id: string,
      { name, email, plan }: RegistrationForm,
      { now, expiresAt }: { now: number; expiresAt: number },
    ): Promise<boolean> {
      const rows = await prisma.$queryRaw<unknown[]>`
        WITH admitted AS (${admitMail('verify', email, MAIL_RATES.verify, now)}),
        pending AS (
          INSERT INTO pending_registration (id, name, email, plan, created_at, expires_at)
          SELECT ${id}::uuid, ${name}, ${email}, ${plan}::plan, ${iso(now)}::timestamptz, ${iso(expiresAt)}::timestamptz
          FROM admitted),
        added AS (
          INSERT INTO outbox_message (id, kind, payload)
          SELECT ${id}::uuid, 'verify', ${JSON.stringify({ registration: id })}::jsonb FROM admitted)
        SELECT subject FROM admitted`;
      return rows.length > 0;
    },

    async find(id: string): Promise<PendingRegistration | undefined> {
      const row = await prisma.pendingRegistration.findUnique({ where: { id } });
      return row ? { id, email: row.email, plan: row.plan, expiresAt: row.expiresAt.getTime() } : undefined;
    },

    async addToken(hash: string, { id, expiresAt }: PendingRegistration): Promise<void> {
      await prisma.oneTimeCode.create({
        data: { hash: Buffer.from(hash, 'hex'), registrationId: id, expiresAt: new Date(expiresAt) },
      });
    },

    /** Does not check whether the code is valid. `confirm` checks the code. */
    async planOf(hash: string): Promise<Plan | undefined> {
      const token = await prisma.oneTimeCode.findUnique({
        where: { hash: Buffer.from(hash, 'hex') },
        include: { registration: true },
      });
      return token?.registration?.plan;
    },

    /** Returns the new user's record number, or undefined. Race: only one statement deletes the registration. */
    async confirm(
      token: string,
      { anchor, validUntil, limit }: Term & { limit: number },
      { hash, start, scopes }: OwnerKey,
      now: number,
    ): Promise<number | undefined> {
      const at = Prisma.sql`${iso(now)}::timestamptz`;
      const rows = await prisma.$queryRaw<{ key: number }[]>`
        WITH taken AS (
          DELETE FROM pending_registration USING one_time_code
          WHERE one_time_code.hash = ${toBytes(token)} AND one_time_code.registration_id = pending_registration.id
            AND one_time_code.expires_at > ${at}
          RETURNING name, email, plan),
        made AS (
          INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at, verified_at)
          SELECT name, email, plan, ${limit}::int, ${iso(anchor)}::timestamptz, ${at}, ${iso(validUntil)}::timestamptz,
            ${at}, ${at} FROM taken
          RETURNING key),
        owned AS (
          INSERT INTO api_key (hash, user_key, scopes, start, created_at)
          SELECT ${toBytes(hash)}, key, ${arrayOf('scope', scopes)}, ${start}, ${at} FROM made)
        SELECT key FROM made`;
      return rows[0]?.key;
    },
  };
}

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;

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
function admitMail(
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
