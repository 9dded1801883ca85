import type { TokenName } from '#catalogue/token';
import { type Clock, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import type { ArchiveStore, RankedFigures } from './latest-store.ts';

/** How long all clients share a ranking, in ms. */
const KEPT_FOR = 10 * SECOND;

export type Ranked = Omit<RankedFigures, 'token'>;

/**
 * The stored market caps and volumes (USD) of all tokens. They are read from the store, because not all tokens are in
 * memory.
 */
export function createRanking(store: Pick<ArchiveStore, 'figures'>, clock: Clock) {
  async function read(): Promise<ReadonlyMap<TokenName, Ranked>> {
    return new Map((await store.figures()).map(({ token, ...figures }) => [token, figures]));
  }
  const ranking = memo(read, { ttl: KEPT_FOR, clock });
  return () => ranking();
}

export type Ranking = ReturnType<typeof createRanking>;
