import { isoDate } from '#core/clock';
import { epochMs } from '#database/values';
import type { PrismaClient } from '#generated/prisma/client';
import type { Currency, PublishedRate } from '#prices/model/currency';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

const SOURCE = 'ecb';

/** Date (Unix ms of its midnight, UTC) and units per euro, ascending. */
type RateRows = readonly (readonly [date: number, rate: number])[];

/** Stores one row per date instead of one per rate, because a call may return a hundred thousand rates. */
const ratesByDate = (rates: readonly PublishedRate[]) =>
  JSON.stringify(
    [...Map.groupBy(rates, ({ date }) => date)].map(([date, published]) => ({
      date: isoDate(date),
      rates: Object.fromEntries(published.map(({ currency, rate }) => [currency, rate])),
    })),
  );

const isRate = (rate: unknown): boolean => typeof rate === 'number' && rate > 0 && rate < Number.POSITIVE_INFINITY;

export function createRateStore(prisma: PrismaClient) {
  return {
    /** Stores the rates from a date (Unix ms) on in one transaction. Rates that are already stored do not change. */
    async record(resource: string, rates: readonly PublishedRate[], from: number, fetchedAt: number): Promise<void> {
      await prisma.$transaction([
        prisma.$executeRaw`
          INSERT INTO exchange_rates AS known (date, rates)
          SELECT date, rates FROM json_to_recordset(${ratesByDate(rates)}::json) AS row(date date, rates jsonb)
          ON CONFLICT (date) DO UPDATE SET rates = excluded.rates || known.rates`,
        prisma.$executeRaw`
          INSERT INTO exchange_rate_span AS known (source, "from") VALUES (${SOURCE}, ${isoDate(from)}::date)
          ON CONFLICT (source) DO UPDATE SET "from" = least(known."from", excluded."from")`,
        prisma.$executeRaw(bumpVersion(resource, fetchedAt)),
      ]);
    },

    async from(): Promise<number | undefined> {
      const row = await prisma.exchangeRateSpan.findUnique({ where: { source: SOURCE } });
      return row?.from.getTime();
    },

    /** The plausible rates of a currency up to now, sent as one JSON text. */
    async rates(currency: Currency, now: number): Promise<RateRows> {
      const [row] = await prisma.$queryRaw<{ rates: string | null }[]>`
        SELECT json_agg(json_build_array(${epochMs('date')}, rates->${currency}::text) ORDER BY date)::text AS rates
        FROM exchange_rates WHERE rates ? ${currency}::text AND date <= ${isoDate(now)}::date`;
      return (JSON.parse(row?.rates ?? '[]') as RateRows).filter(([, rate]) => isRate(rate));
    },
  };
}

export type RateStore = ReturnType<typeof createRateStore>;
