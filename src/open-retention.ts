import { createUsageDayStore } from '#accounts/ledger/usage-day-store';
import { createUsageRetention } from '#accounts/ledger/usage-retention';
import type { OpenCandles } from '#prices/candles/open';
import type { Prices } from '#prices/open';
import { createPurgeStore } from '#prices/retention/purge-store';
import { createRetention } from '#prices/retention/retention';
import type { Context } from './open-context.ts';

type Beside = Pick<Prices, 'archive'> & { candles: OpenCandles['cache'] };

/** Opens what deletes samples and candles, and the calls of dates, for their age. */
export function openRetention(context: Context, beside: Beside) {
  const { settings, prisma, refreshes, clock, log, failures } = context;
  // No call waits for a deletion, so these stores have no deadline.
  const stores = { purges: createPurgeStore(prisma), usageDays: createUsageDayStore(prisma) };
  const common = { refreshes, clock, log, failures };
  const market = createRetention({
    ...{ store: stores.purges, ...common, ...beside },
    retention: settings.retention,
  });
  const usage = createUsageRetention({
    ...{ store: stores.usageDays, ...common },
    retention: settings.usageRetention,
  });
  return {
    /** Deletes what is due, and resolves when it is done. */
    async look(): Promise<void> {
      await Promise.all([market?.look(), usage.look()]);
    },
    async close(): Promise<void> {
      await Promise.all([market?.close(), usage.close()]);
    },
  };
}
