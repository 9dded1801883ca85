import { beginningOf } from '#catalogue/catalogue';
import { tokenOf } from '#catalogue/token';
import { type Clock, iso, isoDate } from '#core/clock';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { Warning } from '#upstream/freshness';
import { implausibleTime } from '#upstream/plausible';
import type { StatisticsCache } from './statistics-cache.ts';
import type { ChainSample, StatisticsSource, StatisticsSourceName, StatisticsSymbol } from './statistics-sources.ts';

/** Seconds until the source accepts a request; 0 if unknown. */
const pauseOf = ({ reason, retryAfter = 0 }: UpstreamFailure): number =>
  reason === 'not_listed' ? Number.POSITIVE_INFINITY : retryAfter;

/** A sample, its source, and the failures of the sources that were tried earlier. */
export type FailoverResult = {
  source: StatisticsSourceName;
  sample: ChainSample;
  passedOver: ReadonlyMap<StatisticsSourceName, FailureCause>;
};

type Dependencies = {
  sources: readonly StatisticsSource[];
  /** The time between a token's samples that the source's budget allows, in ms. */
  interval: (source: StatisticsSourceName) => number;
  cache: Pick<StatisticsCache, 'unlistedAt' | 'recordUnlisted'>;
  timeoutMs: number;
  clock: Clock;
  /** Counts a sample that was dropped because of an implausible time. */
  dropped?: (source: StatisticsSourceName) => void;
};

export function createFailover({
  sources,
  interval,
  cache,
  timeoutMs,
  clock,
  dropped = () => undefined,
}: Dependencies) {
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

    /** For the operator: the sources that failed when they were last used, with the causes. */
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
      const intervals = listed.map(({ name }) => interval(name));
      return intervals.find(Number.isFinite) ?? Number.POSITIVE_INFINITY;
    },

    /** Each source gets an equal share of the remaining time. Throws the `UpstreamFailure` with the earliest retry. */
    async sample(symbol: StatisticsSymbol): Promise<FailoverResult> {
      const deadline = clock.elapsed() + timeoutMs;
      const passedOver = new Map<StatisticsSourceName, FailureCause>();
      failing.set(symbol, passedOver);
      const all = sourcesOf(symbol);
      let soonest = new UpstreamFailure('statistics', 'not_listed', `no source lists ${symbol} today`);
      for (const [place, source] of all.entries()) {
        const { name } = source;
        if (isUnlisted(source, symbol)) {
          passedOver.set(name, 'not_listed');
          continue;
        }
        const share = (deadline - clock.elapsed()) / (all.length - place);
        try {
          const sample = await source.sample(symbol, Math.max(1, Math.floor(share)));
          if (implausibleTime(beginningOf(tokenOf(symbol)), sample.at, clock.now())) {
            dropped(name);
            throw new UpstreamFailure(name, 'unexpected', `the time of a sample is implausible: ${iso(sample.at)}`);
          }
          return { source: name, sample, passedOver };
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error;
          if (error.reason === 'not_listed') await cache.recordUnlisted(name, symbol, clock.now());
          passedOver.set(name, error.reason);
          if (pauseOf(error) <= pauseOf(soonest)) soonest = error;
        }
      }
      throw soonest;
    },
  };
}

export type Failover = ReturnType<typeof createFailover>;
