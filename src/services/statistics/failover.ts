import { type Clock, DAY, isoDate } from '../domain/clock.ts';
import type {
  ChainSample,
  StatisticsSource,
  StatisticsSourceName,
  StatisticsSymbol,
} from '../domain/statistics.ts';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import type { StatisticsHoldings } from './statistics-holdings.ts';

/** How far ahead of this process's clock a sample's own time may be, in ms: beyond it, it is no time. */
const AHEAD = DAY;

/** Seconds before a source need not be asked again: none where it does not say. */
const restOf = ({ reason, retryAfter = 0 }: UpstreamFailure): number =>
  reason === 'not_listed' ? Number.POSITIVE_INFINITY : retryAfter;

/** A sample, who gave it, and why those before it in the line did not. */
export type Sampled = {
  source: StatisticsSourceName;
  sample: ChainSample;
  passedOver: ReadonlyMap<StatisticsSourceName, FailureCause>;
};

type Parts = {
  /** In the order in which they are tried. */
  sources: readonly StatisticsSource[];
  /** How far apart a source's budget lets samples of a token be, in ms. */
  every: (source: StatisticsSourceName) => number;
  holdings: Pick<StatisticsHoldings, 'unlistedAt' | 'recordUnlisted'>;
  /** How long a sample may take, whoever gives it, in ms. */
  timeoutMs: number;
  clock: Clock;
};

/** Which sources a token's statistics are asked of, in what order, and how long each may take. */
export function createSampling({ sources, every, holdings, timeoutMs, clock }: Parts) {
  const serving = (symbol: StatisticsSymbol) => sources.filter(({ tells }) => tells[symbol]);

  /** Whether a source has said today (UTC) that it does not list a chain. */
  function isUnlisted(source: StatisticsSource, symbol: StatisticsSymbol): boolean {
    const at = holdings.unlistedAt(source.name, symbol);
    return at !== undefined && isoDate(at) === isoDate(clock.now());
  }

  return {
    /** The source that a token's statistics should come from. */
    preferred: (symbol: StatisticsSymbol): StatisticsSourceName | undefined => serving(symbol)[0]?.name,

    isOpen: (name: StatisticsSourceName): boolean => sources.some((source) => source.name === name),

    /** How far apart samples of a token are to be, in ms: as the first source that has calls left allows. */
    every(symbol: StatisticsSymbol): number {
      const line = serving(symbol).filter((source) => !isUnlisted(source, symbol));
      const intervals = line.map(({ name }) => every(name));
      return intervals.find(Number.isFinite) ?? Number.POSITIVE_INFINITY;
    },

    /**
     * Asks one source after the other until one tells. A source may take its share of the time that is left, so that
     * one which hangs leaves time for those behind it. Throws the `UpstreamFailure` of the one that can be asked
     * again soonest: the last of several.
     */
    async sample(symbol: StatisticsSymbol): Promise<Sampled> {
      const deadline = performance.now() + timeoutMs;
      const passedOver = new Map<StatisticsSourceName, FailureCause>();
      const all = serving(symbol);
      let soonest = new UpstreamFailure('statistics', 'not_listed', `no source lists ${symbol} today`);
      for (const [place, source] of all.entries()) {
        const { name } = source;
        if (isUnlisted(source, symbol)) {
          passedOver.set(name, 'not_listed');
          continue;
        }
        const share = (deadline - performance.now()) / (all.length - place);
        try {
          const sample = await source.sample(symbol, Math.max(1, Math.floor(share)));
          if (sample.at > clock.now() + AHEAD) {
            throw new UpstreamFailure(name, 'unexpected', `a time that lies in the future: ${sample.at}`);
          }
          return { source: name, sample, passedOver };
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error;
          if (error.reason === 'not_listed') await holdings.recordUnlisted(name, symbol, clock.now());
          passedOver.set(name, error.reason);
          if (restOf(error) <= restOf(soonest)) soonest = error;
        }
      }
      throw soonest;
    },
  };
}

export type Sampling = ReturnType<typeof createSampling>;
