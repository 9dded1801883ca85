import { iso } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { USER_TABLES, type UserTable } from '#users/user-tables';

/** The names in `USER_TABLES` are constants of the service, never input. */
const name = (text: string) => Prisma.raw(`"${text}"`);
const memberOf = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const ownerOf = ({ table }: UserTable) => name(table === 'user' ? 'key' : 'user_key');

/** Columns of the type `timestamptz`. A test compares the format with the catalogue. */
const IS_INSTANT = /_(at|start|until|from)$|^(at|anchor|concerns)$/;

function formatted(column: string): Prisma.Sql {
  if (!IS_INSTANT.test(column)) return name(column);
  return Prisma.sql`to_char(${name(column)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function contentOf(table: UserTable, userKey: number): Prisma.Sql {
  const members = table.columns.map((column) => Prisma.sql`${memberOf(column)}::text, ${formatted(column)}`);
  const row = Prisma.sql`json_build_object(${Prisma.join(members)})`;
  const rows = Prisma.sql`FROM ${name(table.table)} WHERE ${ownerOf(table)} = ${userKey}::int`;
  if (table.order === undefined) return Prisma.sql`(SELECT ${row} ${rows})`;
  return Prisma.sql`(SELECT coalesce(json_agg(${row} ORDER BY ${Prisma.raw(table.order)}), '[]') ${rows})`;
}

function erasureOf(table: UserTable, userKey: number): Prisma.Sql | undefined {
  const { erasure } = table;
  const owned = Prisma.sql`WHERE ${ownerOf(table)} = ${userKey}::int`;
  if (erasure === 'counts' || erasure === 'audit') return undefined;
  if (erasure === 'deleted') return Prisma.sql`DELETE FROM ${name(table.table)} ${owned}`;
  const cleared = erasure.cleared.map((column) => Prisma.sql`${name(column)} = NULL`);
  return Prisma.sql`UPDATE ${name(table.table)} SET ${Prisma.join(cleared)} ${owned}`;
}

export const createUserDataStatement = (prisma: PrismaClient) => ({
  /**
   * Returns the user's data as of one instant, as JSON text. PostgreSQL writes the text, which can have tens of
   * thousands of rows. Messages to an address are omitted, because a user can register with another person's address.
   */
  async exportJson(userKey: number, now: number): Promise<string | undefined> {
    const members = USER_TABLES.map((table) => Prisma.sql`${table.member}::text, ${contentOf(table, userKey)}`);
    const [row] = await prisma.$queryRaw<{ json: string }[]>`
      SELECT json_build_object('exportedAt', ${iso(now)}::text, ${Prisma.join(members)})::text AS json
      FROM "user" WHERE key = ${userKey}::int`;
    return row?.json;
  },
});

/** Erases the personal data of a locked user, and messages to the address unless another user has the same address. */
export async function eraseUserData(tx: Prisma.TransactionClient, userKey: number): Promise<void> {
  // Two statements, because a cluster has the users on every node, and the messages only on the coordinator.
  const [own] = await tx.$queryRaw<{ email: string }[]>`
    SELECT u.email FROM "user" u WHERE u.key = ${userKey}::int AND u.email IS NOT NULL AND NOT EXISTS (
      SELECT FROM "user" o WHERE lower(o.email COLLATE "C") = lower(u.email COLLATE "C") AND o.key <> u.key)`;
  if (own)
    await tx.$executeRaw`
      DELETE FROM outbox_message WHERE lower((payload ->> 'email') COLLATE "C") = lower(${own.email}::text COLLATE "C")`;
  for (const table of USER_TABLES) {
    const statement = erasureOf(table, userKey);
    if (statement) await tx.$executeRaw(statement);
  }
}
