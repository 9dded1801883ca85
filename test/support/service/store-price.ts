import { iso } from '#core/clock';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import type { TestDatabase } from '../database/database.ts';

/** Stores a new latest price of a token that has one, as another process would. `at` is in Unix ms. */
export async function storePrice(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  token: string,
  price: number,
  at = Date.now(),
): Promise<void> {
  await prisma.$transaction([
    prisma.$executeRaw`
      UPDATE latest_price SET record = jsonb_set(record, '{current_price}', to_jsonb(${price}::float8)),
        at = ${iso(at)}::timestamptz, fetched_at = ${iso(at)}::timestamptz
      WHERE token = ${token} AND source = 'coingecko'`,
    prisma.$executeRaw(bumpVersion('latest', at)),
  ]);
}
