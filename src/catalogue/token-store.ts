import { isoDate } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';
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

export function createTokenStore(prisma: PrismaClient) {
  return {
    async all(): Promise<Token[]> {
      const rows = await prisma.token.findMany({ where: { removedAt: null }, orderBy: { position: 'asc' } });
      return rows.map(toToken);
    },

    /** Adds, updates or restores a token, which keeps its position. Increments the row `what` of `Refresh`. */
    async add(what: string, { name, symbol, title, begins, listed, pair }: Token): Promise<void> {
      await prisma.$transaction([
        prisma.$executeRaw`
          INSERT INTO token (name, symbol, title, begins, listed, pair)
          VALUES (${name}, ${symbol}, ${title}, ${begins}::date, ${listed}::date, ${pair ?? null}::text)
          ON CONFLICT (name) DO UPDATE SET symbol = excluded.symbol, title = excluded.title,
            begins = excluded.begins, listed = excluded.listed, pair = excluded.pair, removed_at = NULL`,
        prisma.$executeRaw(bumpVersion(what)),
      ]);
    },

    /** Hides a token from an instant (Unix ms) on, and keeps its rows. Returns false if the token is not served. */
    async remove(what: string, name: string, at: number): Promise<boolean> {
      const [hidden] = await prisma.$transaction([
        prisma.token.updateMany({ where: { name, removedAt: null }, data: { removedAt: new Date(at) } }),
        prisma.$executeRaw(bumpVersion(what)),
      ]);
      return hidden.count > 0;
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;
