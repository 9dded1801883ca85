import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, overlap, type Span, startOfDate } from '#core/clock';
import type { ArchiveCache, Fetch } from '#prices/archive/archive-cache';
import type { PointUpdate } from '#prices/archive/series-sql-store';
import { type Interval, isMidnightSample, isSettled, slotOf } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { keptFrom, keptOf, type Retention } from '#prices/model/market-sources';
import { firstOfEach, NO_FIGURES, type Quote, type Sample, splitDaily } from '#prices/model/sample';
import type { CoinGecko } from '#prices/sources/coingecko';
import { type HistoryLimits, HOURLY_DAYS, reachOf } from './backfill-plan.ts';

const SOURCE: MarketSourceName = 'coingecko';
type Recording = { archive: ArchiveCache; retention: Retention };

/** Stores a source's data, except rows that are older than the retention period. */
export function createRecorder(source: MarketSourceName, { archive, retention }: Recording) {
  const oldest = (now: number) => keptFrom(retention, source, now);

  function record(what: Fetch, token: TokenName, updates: readonly PointUpdate[], now: number): Promise<void> {
    const kept = updates.map(({ interval, rows, covers }) => ({ interval, ...keptOf(rows, covers, oldest(now)) }));
    return archive.record(source, what, token, kept, now);
  }

  /** Stores a single sample as a minute point, and also as the hour's point if the hour has none yet. */
  function singleSample(token: TokenName, sample: Sample): PointUpdate[] {
    const hour = slotOf('hour', sample.at);
    const { start, end } = archive.series(token, 'hour').slice(hour, hour + HOUR - 1);
    const rows = [{ ...sample, settled: false }];
    return [{ interval: 'minute', rows }, ...(start === end ? [{ interval: 'hour', rows } satisfies PointUpdate] : [])];
  }

  return {
    singleSample,
    record,

    /** Stores a response's latest prices, and each of them also as a point. */
    async quotes(what: Fetch, quotes: readonly Quote[], fetchedAt: number): Promise<void> {
      const rows = quotes
        .filter(({ at }) => at >= oldest(fetchedAt))
        .map(({ token, price, at, record = { ...NO_FIGURES, current_price: price } }) => ({
          token,
          record,
          at,
          fetchedAt,
        }));
      await archive.recordLatest(source, what, rows, fetchedAt);
    },
  };
}

/** CoinGecko's limit on the tokens per call. */
export const QUOTES_PER_CALL = 250;
type Dependencies = Recording & { source: CoinGecko; clock: Clock };

/** The calls to CoinGecko. Each call stores its response. All methods throw `UpstreamFailure`. */
export function createFetches({ source, archive, clock, retention }: Dependencies) {
  const { singleSample, record, quotes } = createRecorder(SOURCE, { archive, retention });
  const { history } = source;
  /** Samples beyond these limits are not stored, so they are not requested. */
  const limits: HistoryLimits = { history, keptFor: retention[SOURCE] ?? Number.POSITIVE_INFINITY };

  const archived = (interval: Interval, samples: readonly Sample[], fetchedAt: number) =>
    samples.map((sample) => ({ ...sample, settled: isSettled(interval, sample.at, fetchedAt) }));

  return {
    source: SOURCE,
    limits,

    async latest(tokens: readonly TokenName[]): Promise<void> {
      const reported: Quote[] = [];
      for (let i = 0; i < tokens.length; i += QUOTES_PER_CALL) {
        reported.push(...(await source.quotes(tokens.slice(i, i + QUOTES_PER_CALL))));
      }
      await quotes('latest', reported, clock.now());
    },

    /** Makes one call for a token's last day. Stores the samples and the first sample of each hour. */
    async chart(token: TokenName): Promise<void> {
      const samples = await source.recent(token, 1);
      const now = clock.now();
      const from = now - DAY;
      const firstHour = slotOf('hour', from + HOUR - 1);
      const sinceFirstHour = samples.filter(({ at }) => at >= firstHour);
      const hours = firstOfEach('hour', sinceFirstHour);
      const updates: PointUpdate[] = [
        { interval: 'minute', rows: archived('minute', samples, now), covers: { from, thru: now } },
        { interval: 'hour', rows: archived('hour', hours, now), covers: { from: firstHour, thru: now } },
      ];
      await record(`chart:${token}`, token, updates, now);
    },

    /** Makes one call for hours older than a day. If the span reaches into the last 90 days, it covers all 90 days. */
    async hours(token: TokenName, span: Span): Promise<void> {
      const requested = clock.now();
      const isRecent = span.thru >= requested - HOURLY_DAYS * DAY;
      const days = Math.min(HOURLY_DAYS, history.finer);
      const samples = isRecent ? await source.recent(token, days) : await source.between(token, span);
      const now = clock.now();
      const covers = isRecent ? { from: requested - days * DAY, thru: now } : span;
      const mine = isRecent ? samples : samples.filter(({ at }) => overlap({ from: at, thru: at }, span));
      const updates: PointUpdate[] = [{ interval: 'hour', rows: archived('hour', mine, now), covers }];
      await record(`hours:${token}`, token, updates, now);
    },

    /** Makes one call for every midnight from an instant on, within the plan's history. */
    async daily(token: TokenName, { from }: Pick<Span, 'from'>): Promise<void> {
      const days = Math.ceil((clock.now() - from) / DAY);
      const samples = await source.daily(token, Number.isFinite(reachOf(limits, 'day', 0)) ? days : 'max');
      const now = clock.now();
      const { days: rows, trailing } = splitDaily(samples);
      const updates: PointUpdate[] = trailing ? singleSample(token, trailing) : [];
      const last = rows.findLast(({ at }) => isMidnightSample(at));
      if (last) {
        // A date without a row is final once a later date has a row. Until then, its row may still appear.
        const thru = isSettled('day', last.at, now) ? startOfDate(last.at) + DAY - 1 : startOfDate(now) - 1;
        const covers = { from: startOfDate(from), thru };
        updates.push({ interval: 'day', rows: archived('day', rows, now), covers });
      }
      await record(`daily:${token}`, token, updates, now);
    },
  };
}

export type Fetches = ReturnType<typeof createFetches>;
