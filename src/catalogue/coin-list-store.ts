import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { COINS, type ListedCoin } from './token.ts';

const MAX_FOUND = 25;

/** The number of rows per statement. A statement with all 17,000 coins would hold its locks for a second. */
const BATCH = 2_000;

const COLUMNS = Prisma.sql`id, symbol, title, platforms`;

const inBatches = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, i) => rows.slice(i * BATCH, (i + 1) * BATCH));

type AddressRow = { platform: string; address: string; coin: string };

/** An address belongs to only one coin. If the list contains it for several coins, it belongs to the first of them. */
function addressesOf(coins: readonly ListedCoin[]): AddressRow[] {
  const rows = new Map<string, AddressRow>();
  for (const { id: coin, platforms } of coins) {
    for (const [platform, address] of Object.entries(platforms)) {
      const key = JSON.stringify([platform, address]);
      if (address !== '' && !rows.has(key)) rows.set(key, { platform, address, coin });
    }
  }
  return [...rows.values()];
}

/** Text for LIKE, in which no character is a wildcard. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`);

/** The database stores no U+0000 and rejects it in parameters, so no row has a text that contains it. */
const storable = (texts: readonly string[]): string[] => texts.filter((text) => !text.includes('\0'));

/** Stores CoinGecko's list of coins. It is read from the database, so that it takes no memory. */
export function createCoinListStore(prisma: PrismaClient) {
  return {
    /** Replaces the list. Writes only rows that changed, so that a day's new list costs little WAL. */
    async replace(coins: readonly ListedCoin[], at: number): Promise<void> {
      const addresses = addressesOf(coins);
      await prisma.$transaction([
        ...inBatches(coins).map(
          (batch) => prisma.$executeRaw`
            INSERT INTO listed_coin AS known (${COLUMNS})
            SELECT ${COLUMNS} FROM json_to_recordset(${JSON.stringify(batch)}::json)
              AS row(id text, symbol text, title text, platforms jsonb)
            ON CONFLICT (id) DO UPDATE
            SET symbol = excluded.symbol, title = excluded.title, platforms = excluded.platforms
            WHERE (known.symbol, known.title, known.platforms)
              IS DISTINCT FROM (excluded.symbol, excluded.title, excluded.platforms)`,
        ),
        ...inBatches(addresses).map(
          (batch) => prisma.$executeRaw`
            INSERT INTO coin_address AS known (platform, address, coin)
            SELECT platform, address, coin FROM json_to_recordset(${JSON.stringify(batch)}::json)
              AS row(platform text, address text, coin text)
            ON CONFLICT (platform, address) DO UPDATE SET coin = excluded.coin WHERE known.coin <> excluded.coin`,
        ),
        prisma.$executeRaw`
          DELETE FROM listed_coin WHERE NOT (id = ANY (${coins.map(({ id }) => id)}::text[]))`,
        // Deletes the addresses of coins that are no longer listed, or whose address has changed.
        prisma.$executeRaw`
          DELETE FROM coin_address a WHERE NOT EXISTS (
            SELECT FROM listed_coin WHERE id = a.coin AND platforms ->> a.platform = a.address)`,
        prisma.$executeRaw(bumpVersion(COINS, at)),
      ]);
    },

    named: (ids: readonly string[]): Promise<ListedCoin[]> =>
      prisma.$queryRaw`SELECT ${COLUMNS} FROM listed_coin WHERE id = ANY (${storable(ids)}::text[])`,

    /** The coins with some addresses on a platform. */
    at: (platform: string, addresses: readonly string[]): Promise<{ address: string; coin: string }[]> =>
      prisma.$queryRaw`
        SELECT address, coin FROM coin_address
        WHERE platform = ANY (${storable([platform])}::text[]) AND address = ANY (${storable(addresses)}::text[])`,

    async platforms(): Promise<string[]> {
      const rows = await prisma.$queryRaw<{ platform: string }[]>`
        SELECT DISTINCT platform FROM coin_address ORDER BY platform`;
      return rows.map(({ platform }) => platform);
    },

    /** The coins whose ID, symbol or title contains a text. Equal ones come first, then those that begin with it. */
    find(text: string): Promise<ListedCoin[]> {
      const whole = text.replaceAll('\0', '').trim().toLowerCase();
      const start = `${escaped(whole)}%`;
      return prisma.$queryRaw`
        SELECT ${COLUMNS} FROM listed_coin
        WHERE id LIKE ${`%${start}`} OR symbol LIKE ${`%${start}`} OR lower(title) LIKE ${`%${start}`}
        ORDER BY ${whole} IN (id, symbol, lower(title)) DESC, id LIKE ${start} DESC, length(id), id
        LIMIT ${MAX_FOUND}`;
    },

    ids: async (): Promise<Pick<ListedCoin, 'id' | 'symbol' | 'title'>[]> =>
      prisma.$queryRaw`SELECT id, symbol, title FROM listed_coin ORDER BY id`,
  };
}

export type CoinListStore = ReturnType<typeof createCoinListStore>;
