import type { Clock } from '#core/clock';
import { candleFetchesOf } from '#prices/candles/candle-cache';
import { INTERVALS } from '#prices/interval';
import { fetchesOf } from '#prices/refresh/fetch-names';
import type { MarketSourceName } from '#prices/sources/provenance';
import type { Purge, PurgeStore } from './purge-store.ts';

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

export type PurgeSource = ReturnType<typeof createPurge>;
