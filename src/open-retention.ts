import { createPurgeStore } from '#prices/archive/retention/purge-store';
import { createRetention } from '#prices/archive/retention/retention';
import type { OpenCandles } from '#prices/candles/open';
import type { Prices } from '#prices/open';
import type { Context } from './open-context.ts';

type Beside = Pick<Prices, 'archive'> & { candles: OpenCandles['cache'] };

/** Opens what deletes samples and candles for their age. */
export function openRetention({ settings, prisma, refreshes, clock, log }: Context, beside: Beside) {
  // Nobody waits for it, so its store has no deadline.
  const store = createPurgeStore(prisma);
  return createRetention({ store, refreshes, ...beside, retention: settings.retention, clock, log });
}
