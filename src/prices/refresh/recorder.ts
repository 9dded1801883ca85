import type { TokenName } from '#catalogue/token';
import { HOUR } from '#core/clock';
import type { Fetch } from '#prices/latest/latest-cache';
import { pricesOf } from '#prices/latest/latest-store';
import { intervalStart } from '#prices/model/interval';
import { keptFrom, keptOf, type MarketSourceName } from '#prices/model/market-sources';
import { isContradicted, isJump } from '#prices/model/price-check';
import { NO_FIGURES, type Quote, type Sample } from '#prices/model/sample';
import type { PointUpdate } from '#prices/series/sql-store';
import type { RefreshDeps } from './refresh-deps.ts';

export type Recording = Pick<RefreshDeps, 'archive' | 'retention' | 'log'>;

/** Creates the function that stores a source's data, except rows that are older than the retention period. */
export function createRecorder(source: MarketSourceName, { archive, retention, log }: Recording) {
  const oldest = (now: number) => keptFrom(retention, source, now);

  function record(resource: Fetch, token: TokenName, updates: readonly PointUpdate[], now: number): Promise<void> {
    const kept = updates.map(({ rows, covers, ...rest }) => ({ ...rest, ...keptOf(rows, covers, oldest(now)) }));
    return archive.record(source, resource, token, kept, now);
  }

  /** Stores a single sample as a minute point. If the hour has no point yet, also stores it as the hour's point. */
  function singleSample(token: TokenName, sample: Sample): PointUpdate[] {
    const hour = intervalStart('hour', sample.at);
    const { start, end } = archive.series(token, 'hour').slice(hour, hour + HOUR - 1);
    const rows = [{ ...sample, final: false }];
    return [{ interval: 'minute', rows }, ...(start === end ? [{ interval: 'hour', rows } satisfies PointUpdate] : [])];
  }

  return {
    singleSample,
    record,

    /**
     * Stores latest prices, and adds each price as a point. A jump is stored after its confirmation. A price that
     * contradicts the primary source's price is stored, but neither served nor stored as a point.
     */
    async quotes(resource: Fetch, quotes: readonly Quote[], fetchedAt: number): Promise<void> {
      const stored = Map.groupBy(await archive.storedLatest(quotes.map(({ token }) => token)), ({ token }) => token);
      const knownOf = ({ token }: Quote) => pricesOf(stored.get(token) ?? []);
      const contradicted = new Set(
        quotes
          .filter((quote) => isContradicted({ ...quote, source }, knownOf(quote), archive.sources, fetchedAt))
          .map(({ token }) => token),
      );
      const held = quotes.filter(
        (quote) => !contradicted.has(quote.token) && isJump({ ...quote, source }, knownOf(quote), fetchedAt),
      );
      if (held.length > 0)
        log.warn({ source, prices: held.map(({ token, price }) => ({ token, price })) }, 'prices held back');
      const rows = quotes
        .filter((quote) => quote.at >= oldest(fetchedAt) && !held.includes(quote))
        .map(({ token, price, at, record = { ...NO_FIGURES, current_price: price }, market = null }) => ({
          token,
          record,
          market,
          at,
          fetchedAt,
        }));
      await archive.recordLatest(source, resource, rows, fetchedAt, { contradicted, held });
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;
