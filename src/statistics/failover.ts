import { beginningOf } from '#catalogue/catalogue';
import { tokenOf } from '#catalogue/token';
import { type Clock, iso, isoDate } from '#core/clock';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { Warning } from '#upstream/freshness';
import type { Dropped } from '#upstream/items/items';
import { implausibleTime } from '#upstream/items/plausible';
import type { StatisticsCache } from './statistics-cache.ts';
import {
  type ChainSample,
  isOutdated,
  type StatisticsSource,
  type StatisticsSourceName,
  type StatisticsSymbol,
} from './statistics-sources.ts';

/** Seconds until the source accepts a request; 0 if unknown. */
const pauseOf = ({ reason, retryAfter = 0 }: UpstreamFailure): number =>
  reason === 'not_listed' ? Number.POSITIVE_INFINITY : retryAfter;

/** A sample, and the failures of earlier sources. `failure` is set if each failed or is outdated. */
export type FailoverResult = {
  source: StatisticsSourceName;
  sample: ChainSample;
  failure?: UpstreamFailure;
  passedOver: ReadonlyMap<StatisticsSourceName, FailureCause>;
};

type FailoverSource = StatisticsSource & {
  /** The time between a token's samples that the budget allows, in ms. */
  interval: () => number;
  /** Counts and logs dropped samples and figures. */
  dropped: Dropped;
};

type Deps = {
  sources: readonly FailoverSource[];
  cache: Pick<StatisticsCache, 'unlistedAt' | 'recordUnlisted'>;
  timeoutMs: number;
  clock: Clock;
};

/** Throws `UpstreamFailure` if the time of the sample is implausible. */
async function sampleOf(
  source: FailoverSource,
  symbol: StatisticsSymbol,
  withinMs: number,
  clock: Clock,
): Promise<ChainSample> {
  const { name, dropped } = source;
  const sample = await source.sample(symbol, withinMs);
  const implausible = implausibleTime(beginningOf(tokenOf(symbol)), sample.at, clock.now());
  if (implausible) {
    dropped({ path: symbol, count: 1, reasons: [implausible] });
    throw new UpstreamFailure(name, 'unexpected', `the time of a sample is implausible: ${iso(sample.at)}`);
  }
  const { malformed = [] } = sample;
  const reasons = malformed.map((figure) => `malformed ${figure}` as const);
  dropped({ path: symbol, count: malformed.length, reasons });
  return sample;
}

export function createFailover({ sources, cache, timeoutMs, clock }: Deps) {
  const sourcesOf = (symbol: StatisticsSymbol) => sources.filter(({ figuresByToken }) => figuresByToken[symbol]);
  /** For each token, the sources that failed when the token was last sampled, with the causes. */
  const failing = new Map<StatisticsSymbol, ReadonlyMap<StatisticsSourceName, FailureCause>>();

  /** Whether a source reported today (UTC) that it does not list a chain. */
  function isUnlisted(source: StatisticsSource, symbol: StatisticsSymbol): boolean {
    const at = cache.unlistedAt(source.name, symbol);
    return at !== undefined && isoDate(at) === isoDate(clock.now());
  }

  return {
    preferred: (symbol: StatisticsSymbol): StatisticsSourceName | undefined => sourcesOf(symbol)[0]?.name,

    /** Warnings for the operator: the sources that failed when they were last used, with the causes. */
    warnings: (): Warning[] => {
      const causes = new Map<StatisticsSourceName, FailureCause>();
      for (const [name, cause] of [...failing.values()].flatMap((passedOver) => [...passedOver])) {
        // The original cause is more informative than `resting`.
        const isLess = cause === 'resting' && causes.has(name);
        if (cause !== 'not_listed' && !isLess) causes.set(name, cause);
      }
      return [...causes].map(([source, cause]) => ({ about: 'statistics source', source, cause }));
    },

    isOpen: (name: StatisticsSourceName): boolean => sources.some((source) => source.name === name),

    /** The time between a token's samples, in ms, according to the first source that has calls left. */
    interval(symbol: StatisticsSymbol): number {
      const listed = sourcesOf(symbol).filter((source) => !isUnlisted(source, symbol));
      const intervals = listed.map(({ interval }) => interval());
      return intervals.find(Number.isFinite) ?? Number.POSITIVE_INFINITY;
    },

    /** Shares the remaining time equally. Throws the failure with the earliest retry unless a sample is outdated. */
    async sample(symbol: StatisticsSymbol): Promise<FailoverResult> {
      const deadline = clock.elapsed() + timeoutMs;
      const passedOver = new Map<StatisticsSourceName, FailureCause>();
      failing.set(symbol, passedOver);
      const all = sourcesOf(symbol);
      let outdated: Pick<FailoverResult, 'source' | 'sample'> | undefined;
      let soonest = new UpstreamFailure('statistics', 'not_listed', `no source lists ${symbol} today`);
      for (const [place, source] of all.entries()) {
        const { name } = source;
        if (isUnlisted(source, symbol)) {
          passedOver.set(name, 'not_listed');
          continue;
        }
        const share = (deadline - clock.elapsed()) / (all.length - place);
        try {
          const sample = await sampleOf(source, symbol, Math.max(1, Math.floor(share)), clock);
          if (isOutdated(name, sample.at, clock.now())) {
            if (outdated === undefined || sample.at > outdated.sample.at) outdated = { source: name, sample };
            throw new UpstreamFailure(name, 'stale', `the newest figures are from ${iso(sample.at)}`);
          }
          return { source: name, sample, passedOver };
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error;
          if (error.reason === 'not_listed') await cache.recordUnlisted(name, symbol, clock.now());
          passedOver.set(name, error.reason);
          if (pauseOf(error) <= pauseOf(soonest)) soonest = error;
        }
      }
      if (outdated) return { ...outdated, passedOver, failure: soonest };
      throw soonest;
    },
  };
}

export type Failover = ReturnType<typeof createFailover>;
