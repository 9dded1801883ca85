import { emailPrefix } from '#core/forms/email-address';
import { API_KEY_PREFIX_LENGTH, hasApiKeyPrefix } from '#core/log';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { LARGEST_NUMBER } from '#keys/api-key';
import type { UserState } from '#users/administration/account-report';
import type { Plan } from '#users/plan';

export const USER_SORTS = ['created', 'usage', 'lastHour'] as const;
export type UserSort = (typeof USER_SORTS)[number];

/** A user's place in an order: the sorted value, and the record number. */
export type UserPlace = { value: number; key: number };

export type UserFilter = {
  query?: string | undefined;
  state?: UserState | undefined;
  plan?: Plan | undefined;
};

/** The number of characters of a key that are stored. */
const START = API_KEY_PREFIX_LENGTH + 4;
/** If a query matches more users, the users are read in the requested order until the page is full. */
const MAX_SORTED = 20_000;

/** SQL condition: the indexed text, in bytes, starts with a prefix. No character follows U+10FFFF. */
const startsWith = (column: Prisma.Sql, prefix: string) =>
  Prisma.sql`(${column} >= ${prefix}::text COLLATE "C" AND ${column} < ${`${prefix}\u{10FFFF}`}::text COLLATE "C")`;

/**
 * SQL text query that matches names with all words of a text, or with words that start with them. The database splits the
 * text as it splits the names, because letters, marks and lower case differ between scripts and locales.
 */
const wordsOf = (text: string): Prisma.Sql => Prisma.sql`(
  SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || ''':*', ' & ')::tsquery
  FROM unnest(to_tsvector('simple', ${text}::text)))`;

/** SQL condition on a user `u`. Each of its alternatives has an index. */
function matches(query: string): Prisma.Sql {
  if (hasApiKeyPrefix(query)) {
    const start = startsWith(Prisma.sql`start COLLATE "C"`, query.slice(0, START));
    return Prisma.sql`u.key IN (SELECT user_key FROM api_key WHERE start IS NOT NULL AND ${start})`;
  }
  const lower = emailPrefix(query).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const alternatives = [
    Prisma.sql`(u.email IS NOT NULL AND ${startsWith(Prisma.sql`lower(u.email COLLATE "C")`, lower)})`,
    // A text with this sign is searched only as an address, because its words may also be words of names.
    ...(query.includes('@')
      ? []
      : [Prisma.sql`(u.name IS NOT NULL AND to_tsvector('simple', u.name) @@ ${wordsOf(query)})`]),
    ...(/^\d{1,10}$/.test(query) && Number(query) <= LARGEST_NUMBER ? [Prisma.sql`u.key = ${Number(query)}::int`] : []),
  ];
  return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`;
}

function isIn(state: UserState, now: number): Prisma.Sql {
  if (state === 'erased') return Prisma.sql`u.erased_at IS NOT NULL`;
  if (state === 'suspended') return Prisma.sql`u.erased_at IS NULL AND u.suspended_at IS NOT NULL`;
  const hasKey = Prisma.sql`EXISTS (SELECT FROM api_key k WHERE k.user_key = u.key
    AND coalesce(least(k.revoked_at, k.expires_at), 'infinity') > ${toInstant(now)})`;
  const own = {
    revoked: Prisma.sql`NOT ${hasKey}`,
    expired: Prisma.sql`u.valid_until <= ${toInstant(now)} AND ${hasKey}`,
    active: Prisma.sql`u.valid_until > ${toInstant(now)} AND ${hasKey}`,
  }[state];
  return Prisma.sql`u.erased_at IS NULL AND u.suspended_at IS NULL AND ${own}`;
}

/** The summary's column for each order. An order without a column sorts users by their record numbers. */
const COLUMNS: Readonly<Record<UserSort, Prisma.Sql | undefined>> = {
  created: undefined,
  usage: Prisma.sql`a.used`,
  lastHour: Prisma.sql`a.last_hour`,
};

export function createUserSearchStore(prisma: PrismaClient) {
  /** Whether so many users match a query that reading users in the requested order fills a page sooner. */
  async function isBroad(query: string): Promise<boolean> {
    const [row] = await prisma.$queryRaw<[{ count: number }]>`
      SELECT count(*)::int AS count
      FROM (SELECT FROM "user" u WHERE ${matches(query)} LIMIT ${MAX_SORTED + 1}::int) AS found`;
    return row.count > MAX_SORTED;
  }

  return {
    async search(
      { query, state, plan }: UserFilter,
      sort: UserSort,
      after: UserPlace | undefined,
      most: number,
      now: number,
    ): Promise<UserPlace[]> {
      const isFound = query !== undefined && !(await isBroad(query));
      const column = COLUMNS[sort];
      const conditions = [
        ...(query !== undefined && !isFound ? [matches(query)] : []),
        // The matches are passed as an array, because the planner would otherwise overestimate them, and read the whole
        // table instead of single keys.
        ...(query !== undefined && isFound
          ? [
              Prisma.sql`${column ? Prisma.sql`a.user_key` : Prisma.sql`u.key`} = ANY (
              ARRAY(SELECT u.key FROM "user" u WHERE ${matches(query)}))`,
            ]
          : []),
        ...(state ? [isIn(state, now)] : []),
        ...(plan ? [Prisma.sql`u.plan = ${plan}::plan`] : []),
        ...(after && !column ? [Prisma.sql`u.key < ${after.key}::int`] : []),
        ...(after && column ? [Prisma.sql`(${column}, a.user_key) < (${after.value}::int, ${after.key}::int)`] : []),
      ];
      const where = conditions.length > 0 ? Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}` : Prisma.empty;
      return column
        ? prisma.$queryRaw<UserPlace[]>`
            SELECT ${column} AS value, a.user_key AS key
            FROM user_activity a JOIN "user" u ON u.key = a.user_key ${where}
            ORDER BY ${column} DESC, a.user_key DESC LIMIT ${most}::int`
        : prisma.$queryRaw<UserPlace[]>`
            SELECT u.key AS value, u.key FROM "user" u ${where} ORDER BY u.key DESC LIMIT ${most}::int`;
    },
  };
}

export type UserSearchStore = ReturnType<typeof createUserSearchStore>;
