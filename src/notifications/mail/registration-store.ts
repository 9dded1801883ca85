import { iso } from '#core/clock';
import { arrayOf, toBytes } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Plan, Term } from '#users/plan';
import type { RegistrationForm } from '#users/registration';
import type { OwnerKey } from '#users/user';
import { MAIL_RATES } from './one-time-code.ts';
import { admitMail } from './recovery-store.ts';

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
