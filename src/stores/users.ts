import type { Plan } from '../domain/plan.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { UserModel } from '../generated/prisma/models.ts';

/** A user as stored; instants in Unix ms. `name` and `email` are null once the user was erased. */
export type User = {
  key: number;
  name: string | null;
  email: string | null;
  plan: Plan;
  limit: number;
  anchor: number;
  createdAt: number;
  validUntil: number;
  updatedAt: number;
};

/** A key as stored, and whose it is. */
export type KeyHolder = {
  user: User;
  replacedAt: number | undefined;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
};

export type NewUser = Omit<User, 'key' | 'updatedAt'>;

function toUser(row: UserModel): User {
  const { key, name, email, plan, limit } = row;
  return {
    key,
    name,
    email,
    plan,
    limit,
    anchor: row.anchor.getTime(),
    createdAt: row.createdAt.getTime(),
    validUntil: row.validUntil.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}

/** The rows of `User` and `ApiKey`. */
export function createUserStore(prisma: PrismaClient) {
  return {
    /** A user and the first key, or neither. */
    async create({ anchor, createdAt, validUntil, ...rest }: NewUser, hash: string): Promise<User> {
      const row = await prisma.user.create({
        data: {
          ...rest,
          anchor: new Date(anchor),
          createdAt: new Date(createdAt),
          updatedAt: new Date(createdAt),
          validUntil: new Date(validUntil),
          apiKeys: { create: { hash, createdAt: new Date(createdAt) } },
        },
      });
      return toUser(row);
    },

    async findByHash(hash: string): Promise<KeyHolder | undefined> {
      const row = await prisma.apiKey.findUnique({ where: { hash }, include: { user: true } });
      if (!row) return undefined;
      return {
        user: toUser(row.user),
        replacedAt: row.replacedAt?.getTime(),
        expiresAt: row.expiresAt?.getTime(),
        revokedAt: row.revokedAt?.getTime(),
      };
    },

    async find(key: number): Promise<User | undefined> {
      const row = await prisma.user.findUnique({ where: { key } });
      return row ? toUser(row) : undefined;
    },

    /** Every user, by record number. */
    async list(): Promise<User[]> {
      const rows = await prisma.user.findMany({ orderBy: { key: 'asc' } });
      return rows.map(toUser);
    },

    async update(
      key: number,
      change: Partial<Pick<User, 'limit' | 'anchor' | 'validUntil'>>,
      now: number,
    ): Promise<User> {
      const { limit, anchor, validUntil } = change;
      const row = await prisma.user.update({
        where: { key },
        data: {
          ...(limit !== undefined && { limit }),
          ...(anchor !== undefined && { anchor: new Date(anchor) }),
          ...(validUntil !== undefined && { validUntil: new Date(validUntil) }),
          updatedAt: new Date(now),
        },
      });
      return toUser(row);
    },

    /** Adds a key; the others of the user go on, for reading only, until `graceEnds`. */
    async replaceKeys(key: number, hash: string, now: number, graceEnds: number): Promise<void> {
      await prisma.$transaction([
        prisma.apiKey.updateMany({
          where: { userKey: key, replacedAt: null },
          data: { replacedAt: new Date(now), expiresAt: new Date(graceEnds) },
        }),
        prisma.apiKey.create({ data: { hash, userKey: key, createdAt: new Date(now) } }),
        prisma.user.update({ where: { key }, data: { updatedAt: new Date(now) } }),
      ]);
    },

    /** Every key of a user is dead from now on. */
    async revokeKeys(key: number, now: number): Promise<number> {
      const { count } = await prisma.apiKey.updateMany({
        where: { userKey: key, revokedAt: null },
        data: { revokedAt: new Date(now) },
      });
      return count;
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
