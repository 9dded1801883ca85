import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, overlap, type Span, startOfDate } from '#core/clock';
import { missingOf, RETRIED } from '#prices/latest/latest-cache';
import { type Interval, intervalStart, isSettled, lastKnowable } from '#prices/model/interval';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import { isNewlyMissing } from '#prices/model/missing-samples';
import { firstOfEach, type Sample, splitDaily } from '#prices/model/sample';
import type { PointUpdate } from '#prices/series/sql-store';
import type { CoinGecko } from '#prices/sources/coingecko';
import { type MarketQuotes, pagesOf } from '#prices/sources/coingecko-markets';
import { UpstreamFailure } from '#upstream/failures/failure';
import { type HistoryLimits, HOURLY_DAYS, reachOf } from './backfill-plan.ts';
import { createRecorder, type Recorder, type Recording } from './recorder.ts';
import type { RefreshDeps } from './refresh-deps.ts';

/** CoinGecko sends 0 for unknown figures. Without any market cap or volume, prices are served but not final. */
const hasAllFigures = (samples: readonly Sample[]): boolean =>
  samples.length === 0 ||
  (['marketCap', 'volume'] as const).every((name) => samples.some((sample) => sample[name] !== null));

/** A sample without a price is missing: another response or another source can provide it. */
const priced = (samples: readonly Sample[]): Sample[] => samples.filter(({ price }) => price !== null);

/** The scheduled fetch of all tokens in demand, and the fetch of the tokens that its response lacked. */
type LatestFetch = 'latest' | 'latest-missing';

function archived(interval: 'minute' | 'hour', samples: readonly Sample[], fetchedAt: number) {
  const isFinal = hasAllFigures(samples);
  return samples.map((sample) => ({ ...sample, final: isFinal && isSettled(interval, sample.at, fetchedAt) }));
}

/** Records a response. If expected samples are missing, also stores the time since when they have been missing. */
const recordWithMissing =
  ({ record }: Recorder, archive: Recording['archive']): Recorder['record'] =>
  async (resource, token, updates, now) => {
    const missing = (interval: Interval) => archive.missing(token, interval, PRIMARY_SOURCE);
    const before = new Map(RETRIED.map((interval) => [interval, missing(interval)]));
    await record(resource, token, updates, now);
    for (const interval of RETRIED) {
      const name = missingOf(token, interval);
      if (isNewlyMissing(missing(interval), before.get(interval) ?? [], archive.fetchedAt(name)))
        await record(name, token, [], now);
    }
  };

/** The calls to CoinGecko. Each call stores its response. All methods throw `UpstreamFailure`. */
export function createFetches(deps: Recording & Pick<RefreshDeps, 'clock'>, source: CoinGecko) {
  const { archive, retention, clock } = deps;
  const recorder = createRecorder(PRIMARY_SOURCE, deps);
  const { singleSample, quotes } = recorder;
  const record = recordWithMissing(recorder, archive);
  const { history } = source;
  /** Samples beyond these limits are not kept, so they are not requested. */
  const limits: HistoryLimits = { history, keptFor: retention[PRIMARY_SOURCE] ?? Number.POSITIVE_INFINITY };

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
