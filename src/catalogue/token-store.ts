import type { Operator } from '#core/actor';
import { DAY, HOUR, iso, isoDate, MINUTE } from '#core/clock';
import { audit } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { TokenModel } from '#generated/prisma/models';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { BUILT_IN_TOKENS, MAX_SERVED, type Token, type TokenName } from './token.ts';

const WITH_STATISTICS: ReadonlySet<string> = new Set(
  BUILT_IN_TOKENS.flatMap(({ name, statistics }) => (statistics ? [name] : [])),
);

const toToken = ({ name, symbol, title, begins, listed, pairs, successor, addedAt }: TokenModel): Token => ({
  name,
  symbol,
  title,
  begins: isoDate(begins.getTime()),
  listed: isoDate(listed.getTime()),
  statistics: WITH_STATISTICS.has(name),
  pairs: pairs as Token['pairs'],
  ...(successor !== null && { successor }),
  ...(addedAt !== null && { isRequested: true }),
});

/** SQL expression: the facts about a token in an audit event. */
const FACTS = Prisma.sql`jsonb_build_object('symbol', symbol, 'title', title, 'listed', listed, 'pairs', pairs,
  'successor', successor, 'served', removed_at IS NULL)`;

/** The row of `Refresh` whose version increases when a token changes. */
export const TOKENS_CHANGED = 'tokens';

type Change = { name: string; action: 'token.add' | 'token.alias' | 'token.remove'; operator: Operator | undefined };

/** The maximum number of unknown tokens per user and hour. */
export const REQUESTS_PER_HOUR = 20;
/** How long a token that was added on request is served without a request, in ms. */
export const KEPT_WITHOUT_REQUEST = 90 * DAY;
/** The pause after a failure before a user's request for the same token is tried again, in ms. */
const RETRY_AFTER = 10 * MINUTE;

/** Stores the tokens, and who requested unknown tokens in the last hour. */
export function createTokenStore(prisma: PrismaClient) {
  /** Changes a token by `statement` without `RETURNING`, with version and audit event. False if unchanged. */
  async function change({ name, action, operator }: Change, statement: Prisma.Sql): Promise<boolean> {
    const rows = await prisma.$queryRaw<unknown[]>`
      WITH old AS MATERIALIZED (SELECT ${FACTS} AS facts FROM token WHERE name = ${name} FOR UPDATE),
      changed AS (${statement} RETURNING ${FACTS} AS facts),
      ${audit(operator, {
        action,
        target: `token:${name}`,
        before: Prisma.sql`(SELECT facts FROM old)`,
        after: Prisma.sql`facts`,
      })}
      bumped AS (${bumpVersion(TOKENS_CHANGED)} RETURNING version)
      SELECT version FROM bumped, changed`;
    return rows.length > 0;
  }

  return {
    async all(): Promise<Token[]> {
      const rows = await prisma.token.findMany({ where: { removedAt: null }, orderBy: { position: 'asc' } });
      return rows.map(toToken);
    },

    /** Adds or updates a token, or restores a removed token in its old position. */
    async add({ name, symbol, title, begins, listed, pairs }: Token, operator?: Operator): Promise<void> {
      await change(
        { name, action: 'token.add', operator },
        Prisma.sql`
          INSERT INTO token (name, symbol, title, begins, listed, pairs)
          VALUES (${name}, ${symbol}, ${title}, ${begins}::date, ${listed}::date, ${JSON.stringify(pairs)}::jsonb)
          ON CONFLICT (name) DO UPDATE SET symbol = excluded.symbol, title = excluded.title,
            begins = excluded.begins, listed = excluded.listed, pairs = excluded.pairs, removed_at = NULL,
            added_at = NULL`,
      );
    },

    /** Sets or removes the successor of a served token. */
    async setSuccessor(name: string, successor: string | null, operator?: Operator): Promise<void> {
      await change(
        { name, action: 'token.alias', operator },
        Prisma.sql`UPDATE token SET successor = ${successor}::text WHERE name = ${name} AND removed_at IS NULL`,
      );
    },

    /** Hides a token as of an instant (Unix ms) and keeps its rows. Returns false if the token is not served. */
    remove: (name: string, at: number, operator?: Operator): Promise<boolean> =>
      change(
        { name, action: 'token.remove', operator },
        Prisma.sql`UPDATE token SET removed_at = ${toInstant(at)}, added_at = NULL
          WHERE name = ${name} AND removed_at IS NULL`,
      ),

    /** The tokens that may be added for a user. Race: the lock serializes two counts of a user's requests. */
    async reserve(user: number, tokens: readonly TokenName[], now: number): Promise<TokenName[]> {
      const since = iso(now - HOUR);
      const [, rows] = await prisma.$transaction([
        prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('token_request'), ${user}::int)`,
        prisma.$queryRaw<{ token: TokenName }[]>`
          INSERT INTO token_request AS known (user_key, token, requested_at)
          SELECT ${user}::int, name, ${iso(now)}::timestamptz
          FROM unnest(${[...tokens]}::text[]) WITH ORDINALITY AS wanted(name, place)
          WHERE NOT EXISTS (SELECT FROM token WHERE token.name = wanted.name AND (removed_at IS NULL OR added_at IS NULL))
            AND (SELECT count(*) FROM token WHERE removed_at IS NULL) < ${MAX_SERVED}::int
          ORDER BY EXISTS (SELECT FROM token_request WHERE user_key = ${user}::int AND token = wanted.name) DESC, place
          LIMIT greatest(0, ${REQUESTS_PER_HOUR}::int - (SELECT count(*) FROM token_request
            WHERE user_key = ${user}::int AND requested_at > ${since}::timestamptz
              AND NOT token = ANY (${[...tokens]}::text[])))
          ON CONFLICT (user_key, token) DO UPDATE SET requested_at = excluded.requested_at
          WHERE known.requested_at NOT BETWEEN ${iso(now - RETRY_AFTER)}::timestamptz AND ${iso(now)}::timestamptz
          RETURNING token`,
      ]);
      return rows.map(({ token }) => token);
    },

    /** Adds a token, unless the operator has removed it or there are too many, and increments the version. */
    async addRequested({ name, symbol, title, begins, listed, pairs }: Token, at: number): Promise<void> {
      await prisma.$executeRaw`
        WITH added AS (
          INSERT INTO token AS known (name, symbol, title, begins, listed, pairs, added_at, requested_at)
          SELECT ${name}, ${symbol}, ${title}, ${begins}::date, ${listed}::date, ${JSON.stringify(pairs)}::jsonb,
            ${iso(at)}::timestamptz, ${iso(at)}::timestamptz
          WHERE (SELECT count(*) FROM token WHERE removed_at IS NULL) < ${MAX_SERVED}::int
          ON CONFLICT (name) DO UPDATE SET symbol = excluded.symbol, title = excluded.title, begins = excluded.begins,
            listed = excluded.listed, pairs = excluded.pairs, added_at = excluded.added_at,
            requested_at = excluded.requested_at, removed_at = NULL
          WHERE known.removed_at IS NOT NULL AND known.added_at IS NOT NULL
          RETURNING name)
        ${bumpedIfAny('added')}`;
    },

    /** Hides the tokens that were added on request and have not been requested since. Returns their number. */
    removeUnused: (now: number): Promise<number> =>
      prisma.$executeRaw`
        WITH removed AS (
          UPDATE token SET removed_at = ${iso(now)}::timestamptz
          WHERE removed_at IS NULL AND greatest(added_at, requested_at) <= ${iso(now - KEPT_WITHOUT_REQUEST)}::timestamptz
            AND added_at IS NOT NULL
          RETURNING name)
        ${bumpedIfAny('removed')}`,
  };
}

/** Makes all processes reread the tokens if a statement has changed any. */
const bumpedIfAny = (changed: 'added' | 'removed'): Prisma.Sql => Prisma.sql`
  INSERT INTO refresh (resource, version) SELECT ${TOKENS_CHANGED}, 1 FROM ${Prisma.raw(changed)} LIMIT 1
  ON CONFLICT (resource) DO UPDATE SET version = refresh.version + 1`;

export type TokenStore = ReturnType<typeof createTokenStore>;
