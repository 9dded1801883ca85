import type { Figure } from '#domain/statistics/figures';
import type { StatisticsSourceName, StatisticsSymbol } from '#domain/statistics/statistics';
import { UpstreamFailure } from '#domain/upstream/failure';
import { openUpstream, type UpstreamOptions } from '#sources/transport/upstream';

/** What every source of statistics is opened with. */
export type StatisticsOptions = Pick<
  UpstreamOptions,
  'url' | 'timeoutMs' | 'clock' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'
>;

type Tells = Partial<Record<StatisticsSymbol, readonly Figure[]>>;

/** The upstream of a source of statistics, and what such sources have in common. */
export function openStatisticsUpstream(
  name: StatisticsSourceName,
  tells: Tells,
  { headers = {}, ...options }: StatisticsOptions & Pick<UpstreamOptions, 'headers'>,
) {
  const { clock, timeoutMs } = options;
  const url = options.url.replace(/\/+$/, '');
  const upstream = openUpstream({ ...options, url, name, headers });

  return {
    ask: upstream.ask,
    close: upstream.close,

    /** Throws `not_listed` for a chain that the source has no interface to. */
    serving(symbol: StatisticsSymbol): void {
      if (tells[symbol]) return;
      throw new UpstreamFailure(name, 'not_listed', `does not serve ${symbol}`, { sent: false });
    },

    /** The one deadline of all calls of a sample: gives what is left of it, in whole ms. */
    deadline(withinMs = timeoutMs): () => number {
      const end = clock.elapsed() + Math.min(withinMs, timeoutMs);
      return () => Math.max(1, Math.ceil(end - clock.elapsed()));
    },
  };
}

/**
 * For a call that a sample can do without: nothing when the upstream refuses it, since that is how one that does not
 * offer it answers. Trouble of any other kind is the sample's.
 */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UpstreamFailure && error.reason === 'refused') return undefined;
    throw error;
  }
}
