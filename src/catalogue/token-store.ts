import type { Operator } from '#core/actor';
import { isoDate } from '#core/clock';
import { audit } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { TokenModel } from '#generated/prisma/models';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { BUILT_IN_TOKENS, type Token } from './token.ts';

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

export function createTokenStore(prisma: PrismaClient) {
  /**
   * Changes the row of a token. `statement` has no `RETURNING` clause. The same statement increments the version and
   * adds the operator's audit event. Returns false if no row has changed.
   */
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
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;
