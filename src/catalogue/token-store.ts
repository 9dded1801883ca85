import { isoDate } from '#core/clock';
import type { Operator } from '#core/operator';
import { audit } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { TokenModel } from '#generated/prisma/models';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { BUILT_IN_TOKENS, type Token } from './token.ts';

const WITH_STATISTICS: ReadonlySet<string> = new Set(
  BUILT_IN_TOKENS.flatMap(({ name, statistics }) => (statistics ? [name] : [])),
);

const toToken = ({ name, symbol, title, begins, listed, pair }: TokenModel): Token => ({
  name,
  symbol,
  title,
  begins: isoDate(begins.getTime()),
  listed: isoDate(listed.getTime()),
  statistics: WITH_STATISTICS.has(name),
  pair: pair ?? undefined,
});

/** SQL expression: the facts about a token in an audit event. */
const FACTS = Prisma.sql`jsonb_build_object('symbol', symbol, 'title', title, 'listed', listed, 'pair', pair,
  'served', removed_at IS NULL)`;

export function createTokenStore(prisma: PrismaClient) {
  return {
    async all(): Promise<Token[]> {
      const rows = await prisma.token.findMany({ where: { removedAt: null }, orderBy: { position: 'asc' } });
      return rows.map(toToken);
    },

    /**
     * Adds or updates a token, or restores a removed token in its old position. The same statement bumps the row `what`
     * of `Refresh` and adds the operator's audit event.
     */
    async add(what: string, token: Token, operator?: Operator): Promise<void> {
      const { name, symbol, title, begins, listed, pair } = token;
      await prisma.$queryRaw`
        WITH old AS MATERIALIZED (SELECT ${FACTS} AS facts FROM token WHERE name = ${name} FOR UPDATE),
        changed AS (
          INSERT INTO token (name, symbol, title, begins, listed, pair)
          VALUES (${name}, ${symbol}, ${title}, ${begins}::date, ${listed}::date, ${pair ?? null}::text)
          ON CONFLICT (name) DO UPDATE SET symbol = excluded.symbol, title = excluded.title,
            begins = excluded.begins, listed = excluded.listed, pair = excluded.pair, removed_at = NULL
          RETURNING ${FACTS} AS facts),
        ${audit(operator, {
          action: 'token.add',
          target: `token:${name}`,
          before: Prisma.sql`(SELECT facts FROM old)`,
          after: Prisma.sql`facts`,
        })}
        bumped AS (${bumpVersion(what)} RETURNING version)
        SELECT version FROM bumped`;
    },

    /** Hides a token as of an instant (Unix ms) and keeps its rows. Returns false if the token is not served. */
    async remove(what: string, name: string, at: number, operator?: Operator): Promise<boolean> {
      const rows = await prisma.$queryRaw<unknown[]>`
        WITH changed AS (
          UPDATE token SET removed_at = ${toInstant(at)} WHERE name = ${name} AND removed_at IS NULL
          RETURNING ${FACTS} AS facts),
        ${audit(operator, {
          action: 'token.remove',
          target: `token:${name}`,
          before: Prisma.sql`facts || '{"served": true}'`,
          after: Prisma.sql`facts`,
        })}
        bumped AS (${bumpVersion(what)} RETURNING version)
        SELECT version FROM bumped, changed`;
      return rows.length > 0;
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;
