import { createRetention } from '#services/archive/retention';
import { createPurgeStore } from '#stores/market/purges';
import type { OpenCandles } from './candles.ts';
import type { Context } from './context.ts';
import type { Prices } from './market.ts';

type Beside = Pick<Prices, 'archive'> & { candles: OpenCandles['cache'] };

/** Opens what deletes samples and candles for their age. */
export function openRetention({ settings, prisma, refreshes, clock, log }: Context, beside: Beside) {
  // Nobody waits for it, so its store has no deadline.
  const store = createPurgeStore(prisma);
  return createRetention({ store, refreshes, ...beside, retention: settings.retention, clock, log });
}
