import type { Operator } from '#core/actor';
import { inMs, iso } from '#core/clock';
import { audit, jsonOf } from '#database/audit';
import { arrayOf, sqlEmailEquals, toBytes, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { startDuePlans } from './administration/next-plan-store.ts';
import type { Authority } from './authority.ts';
import { changeUser, IS_ACTIVE_OWNER, updateUser } from './change-user-store.ts';
import type { Plan, Term } from './plan.ts';
import { type OwnerKey, toUser, type User } from './user.ts';
import { createUserDataStatement, eraseUserData } from './user-data-store.ts';

type NewUser = Omit<User, 'key' | 'updatedAt' | 'next' | 'suspension'>;

/** `start` and `lastUsedAt` belong to the newest owner key. */
type UserOfAddress = {
  key: number;
  email: string;
  plan: Plan;
  createdAt: Date;
  start: string | null;
  lastUsedAt: Date | null;
};

/** Every change also sets a time in the user's row, so that the key caches of all processes read the change. */
export function createUserStore(prisma: PrismaClient) {
  return {
    ...createUserDataStatement(prisma),

    /** One statement adds the user, the owner key and, for the operator, the audit event. */
    async create(user: NewUser, { hash, start, scopes }: Omit<OwnerKey, 'apiKey'>, operator?: Operator): Promise<User> {
      const { name, email, plan, limit, anchor, createdAt, validUntil } = user;
      const at = toInstant(createdAt);
      const values = { plan, limit, validUntil: iso(validUntil) };
      const [row] = await prisma.$queryRaw<[{ key: number }]>`
        WITH changed AS (
          INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at)
          VALUES (${name}, ${email}, ${plan}::plan, ${limit}::int, ${toInstant(anchor)}, ${at}, ${toInstant(validUntil)},
            ${at})
          RETURNING key),
        ${audit(operator, {
          action: 'user.create',
          target: Prisma.sql`'user:' || key`,
          userKey: Prisma.sql`key`,
          after: jsonOf(values),
        })}
        owned AS (
          INSERT INTO api_key (hash, user_key, scopes, start, created_at)
          SELECT ${toBytes(hash)}, key, ${arrayOf('scope', scopes)}, ${start}, ${at} FROM changed)
        SELECT key FROM changed`;
      return { ...user, key: row.key, updatedAt: createdAt, next: undefined, suspension: undefined };
    },

    async find(key: number): Promise<User | undefined> {
      const row = await prisma.user.findUnique({ where: { key } });
      return row ? toUser(row) : undefined;
    },

    /**
     * Returns users with an email address (case-insensitive), and their number. Verified users come first, then older
     * ones: otherwise, an attacker could hide a person's users behind new registrations. Users without an active owner
     * key are omitted.
     */
    async usersOf(email: string, most: number) {
      const rows = await prisma.$queryRaw<(UserOfAddress & { count: number })[]>`
        SELECT u.key, u.email, u.plan::text AS plan, u.created_at AS "createdAt", k.start,
          k.last_used_at AS "lastUsedAt", (count(*) OVER ())::int AS count
        FROM "user" u CROSS JOIN LATERAL (
          SELECT start, last_used_at FROM api_key WHERE user_key = u.key AND ${IS_ACTIVE_OWNER}
          ORDER BY created_at DESC, id DESC LIMIT 1) AS k
        WHERE ${sqlEmailEquals(email)} AND u.email IS NOT NULL
        ORDER BY u.verified_at IS NULL, u.key LIMIT ${most}::int`;
      return { users: rows.map(({ count: _, ...user }) => inMs(user)), count: rows[0]?.count ?? 0 };
    },

    /** Sets the term that `renewed` derives from the stored one. */
    renew: (authority: Authority, renewed: (user: User) => Term, now: number): Promise<void> =>
      changeUser(prisma, authority, async (tx) => {
        const key = authority.userKey;
        await tx.$executeRaw(startDuePlans(now, key));
        const user = toUser(await tx.user.findUniqueOrThrow({ where: { key } }));
        const { anchor, validUntil } = renewed(user);
        await updateUser(tx, authority, {
          updatedAt: now,
          event: {
            action: 'user.renew',
            before: jsonOf({ validUntil: iso(user.validUntil) }),
            after: jsonOf({ validUntil: iso(validUntil) }),
          },
          set: Prisma.sql`, anchor = ${toInstant(anchor)}, valid_until = ${toInstant(validUntil)}`,
        });
      }),

    erase: (authority: Authority, now: number): Promise<void> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        await updateUser(tx, authority, {
          updatedAt: now,
          event: { action: 'user.erase', after: jsonOf({ erased: true }) },
          set: Prisma.sql`, erased_at = ${toInstant(now)}`,
        });
        await tx.apiKey.updateMany({ where: { userKey, revokedAt: null }, data: { revokedAt: new Date(now) } });
        await eraseUserData(tx, userKey);
      }),
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
