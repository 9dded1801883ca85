import type { Clock } from '#core/clock';
import { fetchesOf } from '#prices/archive/fetch-names';
import { candleFetchesOf } from '#prices/candles/candle-cache';
import { INTERVALS } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import type { Purge, PurgeStore } from '#prices/retention/purge-store';

/** How much was deleted of a token; `spans`: of coverage, deleted or shortened. */
export type Purged = { token: string; points: number; candles: number; latest: number; spans: number };

type Dependencies = { store: Pick<PurgeStore, 'tokens' | 'series' | 'latest'>; clock: Clock };

/** The source of candles. */
const VENUE: MarketSourceName = 'kraken';

/** Deletes what a source told. */
export function createPurge({ store, clock }: Dependencies) {
  /** Where all of it goes, what the source is asked for is due again; else its coverage says what is missing. */
  function dueAgain(token: string, { source, before }: Purge): readonly string[] {
    if (before !== undefined) return [];
    return [...fetchesOf(token, [source]), ...(source === VENUE ? candleFetchesOf(token) : [])];
  }

  /**
   * Deletes the points, candles, latest prices and coverage that a source told, token by token; processes that run drop
   * them from memory. Rows of other sources stay. What was deleted before it is interrupted stays so.
   */
  return async function* purge(what: Purge): AsyncGenerator<Purged> {
    for (const token of await store.tokens()) {
      const counts = { token, points: 0, candles: 0, latest: 0, spans: 0 };
      for (const kind of ['points', 'candles'] as const) {
        for (const interval of INTERVALS) {
          const { deleted, spans } = await store.series(kind, token, interval, what, clock.now());
          counts[kind] += deleted;
          counts.spans += spans;
        }
      }
      counts.latest = await store.latest(token, what, dueAgain(token, what), clock.now());
      yield counts;
    }
  };
}
