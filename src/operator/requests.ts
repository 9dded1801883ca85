import { type Clock, iso, SECOND } from '#core/clock';
import { BOUNDS, countIn, countsOf, durationsOf, type RequestHistograms } from '#server/request-metrics';
import type { RequestReport } from './operator-records.ts';

/** A percentile in ms. It is interpolated within its bucket, as in Prometheus. The last bucket has no upper bound. */
export function percentile(counts: readonly number[], fraction: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rank = total * fraction;
  for (const [bucket, upper] of BOUNDS.entries()) {
    const lower = BOUNDS[bucket - 1] ?? 0;
    const count = counts[bucket] ?? 0;
    if (rank <= count) return Math.round((lower + ((upper - lower) * rank) / count) * SECOND * 10) / 10;
    rank -= count;
  }
  return Math.max(...BOUNDS) * SECOND;
}

const latencyIn = (counts: readonly number[]) => ({ median: percentile(counts, 0.5), p99: percentile(counts, 0.99) });

/** Reports the requests to the public port since the start of this process. */
export function createRequestReport(requests: RequestHistograms, { now }: Pick<Clock, 'now'>) {
  const since = iso(now());

  return function read(): RequestReport {
    const byRoute = new Map<string, number>();
    for (const histogram of requests.all())
      byRoute.set(histogram.route, (byRoute.get(histogram.route) ?? 0) + countIn(countsOf(histogram)));
    const durations = new Map(
      durationsOf(requests.all()).map(({ labels, counts }) => [labels.route, Array.from(counts)]),
    );
    const sums = [...BOUNDS, Number.POSITIVE_INFINITY].map((_bound, bucket) =>
      durations.values().reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0),
    );
    return {
      since,
      requests: byRoute.values().reduce((sum, count) => sum + count, 0),
      ...latencyIn(sums),
      problems: Array.from(requests.problems(), ([code, count]) => ({ code, count }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count),
      routes: Array.from(byRoute, ([route, count]) => ({
        route,
        requests: count,
        ...latencyIn(durations.get(route) ?? []),
      })).sort((one, other) => other.requests - one.requests),
    };
  };
}
