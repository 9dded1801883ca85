import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, overlap, type Span, startOfDate, subtractSpans } from '#core/clock';
import { type Fetch, missingOf, RETRIED } from '#prices/latest/latest-cache';
import { pricesOf } from '#prices/latest/latest-store';
import { type Interval, intervalStart, isSettled, lastKnowable } from '#prices/model/interval';
import { keptFrom, keptOf, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { isContradicted, isJump } from '#prices/model/price-check';
import { firstOfEach, NO_FIGURES, type Quote, type Sample, splitDaily } from '#prices/model/sample';
import type { PointUpdate } from '#prices/series/sql-store';
import type { CoinGecko } from '#prices/sources/coingecko';
import { type MarketQuotes, pagesOf } from '#prices/sources/coingecko-markets';
import { UpstreamFailure } from '#upstream/failures/failure';
import { type HistoryLimits, HOURLY_DAYS, reachOf } from './backfill-plan.ts';
import type { RefreshDeps } from './refresh-deps.ts';

type Recording = Pick<RefreshDeps, 'archive' | 'retention' | 'log'>;

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

/** CoinGecko sends 0 for unknown figures. Without any market cap or volume, prices are served but not final. */
const hasAllFigures = (samples: readonly Sample[]): boolean =>
  samples.length === 0 ||
  (['marketCap', 'volume'] as const).every((name) => samples.some((sample) => sample[name] !== null));

/** A sample without a price is missing: another response or another source can provide it. */
const priced = (samples: readonly Sample[]): Sample[] => samples.filter(({ price }) => price !== null);

/** The scheduled fetch of all tokens in demand, and the fetch of the tokens that its response lacked. */
type LatestFetch = 'latest' | 'latest-missing';

/** The calls to CoinGecko. Each call stores its response. All methods throw `UpstreamFailure`. */
export function createFetches(deps: Recording & Pick<RefreshDeps, 'clock'>, source: CoinGecko) {
  const { archive, retention, clock } = deps;
  const recorder = createRecorder(PRIMARY_SOURCE, deps);
  const { singleSample, quotes } = recorder;
  const { history } = source;
  /** Samples beyond these limits are not kept, so they are not requested. */
  const limits: HistoryLimits = { history, keptFor: retention[PRIMARY_SOURCE] ?? Number.POSITIVE_INFINITY };

  /** Stores a response. If expected samples are missing, also stores the time since when they have been missing. */
  async function record(
    resource: Fetch,
    token: TokenName,
    updates: readonly PointUpdate[],
    now: number,
  ): Promise<void> {
    const missing = (interval: Interval) => archive.missing(token, interval, PRIMARY_SOURCE);
    const before = new Map(RETRIED.map((interval) => [interval, missing(interval)]));
    await recorder.record(resource, token, updates, now);
    for (const interval of RETRIED) {
      const name = missingOf(token, interval);
      const isNew = (span: Span) => subtractSpans(span, before.get(interval) ?? []).length > 0;
      const spans = missing(interval);
      if (spans.some(isNew) || (spans.length > 0 && archive.fetchedAt(name) === undefined))
        await recorder.record(name, token, [], now);
    }
  }

  function archived(interval: 'minute' | 'hour', samples: readonly Sample[], fetchedAt: number) {
    const isFinal = hasAllFigures(samples);
    return samples.map((sample) => ({ ...sample, final: isFinal && isSettled(interval, sample.at, fetchedAt) }));
  }

  return {
    limits,

    /** Makes one call per page, and stores all prices as `resource`. Fails only if every call fails. */
    async latest(
      tokens: readonly TokenName[],
      resource: LatestFetch = 'latest',
    ): Promise<Omit<MarketQuotes, 'quotes'>> {
      const pages = pagesOf(tokens);
      const results = await Promise.allSettled(pages.map(source.quotes));
      const failure = results.find((result) => result.status === 'rejected')?.reason;
      if (failure !== undefined && results.every(({ status }) => status === 'rejected')) throw failure;
      const all = results.map((result, i) =>
        result.status === 'fulfilled' ? result.value : { quotes: [], unpriced: [], missing: pages[i] ?? [] },
      );
      const reported = all.flatMap((page) => page.quotes);
      await quotes(resource, reported, clock.now());
      return { unpriced: all.flatMap(({ unpriced }) => unpriced), missing: all.flatMap(({ missing }) => missing) };
    },

    /** Makes one call for a token's last day. Stores the samples and the first sample of each hour. */
    async chart(token: TokenName): Promise<void> {
      const samples = priced(await source.recent(token, 1));
      const now = clock.now();
      const from = now - DAY;
      const firstHour = intervalStart('hour', from + HOUR - 1);
      const sinceFirstHour = samples.filter(({ at }) => at >= firstHour);
      const hours = firstOfEach('hour', sinceFirstHour);
      const updates: PointUpdate[] = [
        { interval: 'minute', rows: archived('minute', samples, now), covers: { from, thru: now } },
        { interval: 'hour', rows: archived('hour', hours, now), covers: { from: firstHour, thru: now } },
      ];
      await record(`chart:${token}`, token, updates, now);
    },

    /** Makes one call for hours older than a day. A span within the last 90 days extends to all 90 days. */
    async hours(token: TokenName, span: Span): Promise<void> {
      const requested = clock.now();
      const isRecent = span.thru >= requested - HOURLY_DAYS * DAY;
      const days = Math.min(HOURLY_DAYS, history.finer);
      const samples = priced(isRecent ? await source.recent(token, days) : await source.between(token, span));
      const now = clock.now();
      const coveredSpan = isRecent ? { from: requested - days * DAY, thru: now } : span;
      const inSpan = isRecent ? samples : samples.filter(({ at }) => overlap({ from: at, thru: at }, span));
      const updates: PointUpdate[] = [{ interval: 'hour', rows: archived('hour', inSpan, now), covers: coveredSpan }];
      await record(`hours:${token}`, token, updates, now);
    },

    /** Makes one call, for all midnights from an instant on within the plan's history. */
    async daily(token: TokenName, { from }: Pick<Span, 'from'>): Promise<void> {
      const days = Math.ceil((clock.now() - from) / DAY);
      const samples = priced(await source.daily(token, Number.isFinite(reachOf(limits, 'day', 0)) ? days : 'max'));
      const now = clock.now();
      const { days: rows, trailing } = splitDaily(samples, now);
      const last = rows.findLast(({ at }) => at === startOfDate(at));
      // A token that was listed today has no midnight yet, and the newest sample alone is not a daily series.
      const expectedFrom = Math.max(startOfDate(from), archive.beginning(token) + DAY);
      if (!last && samples.some((sample) => sample !== trailing) && expectedFrom <= lastKnowable('day', now))
        throw new UpstreamFailure(PRIMARY_SOURCE, 'unexpected', 'a daily chart without a sample near midnight');
      // Rows of dates after the last row may still appear. A response without samples also covers the span.
      const lastDate = last && isSettled('day', last.at, now) ? startOfDate(last.at) : startOfDate(now) - DAY;
      const thru = samples.length === 0 ? lastKnowable('day', now) : lastDate + DAY - 1;
      const isFinal = hasAllFigures(samples);
      const coveredSpan = isFinal ? { from: startOfDate(from), thru } : undefined;
      const settling = rows.map((row) => ({
        ...row,
        final: isFinal && row.at === startOfDate(row.at) && isSettled('day', row.at, now),
      }));
      const midnights: PointUpdate = { interval: 'day', rows: settling, covers: coveredSpan };
      await record(`daily:${token}`, token, [...(trailing ? singleSample(token, trailing) : []), midnights], now);
    },
  };
}

export type Fetches = ReturnType<typeof createFetches>;
