import type { MetricsRegistry } from '#core/metrics';
import { BOUNDS, countsOf, type RequestHistograms } from './request-histogram.ts';

/** Adds the answers to requests, and how long these took. */
export function addRequestReadings(registry: MetricsRegistry, requests: RequestHistograms): void {
  const rows = () =>
    Array.from(requests.all(), (histogram) => {
      const { route, method, status } = histogram;
      const counts = countsOf(histogram);
      const value = counts.reduce((sum, count) => sum + count, 0);
      const labels = { route, method, status: String(status) };
      return { labels, counts, value, sum: histogram.figures[0] ?? 0 };
    });
  const answered = 'Requests that were answered, by the pattern of their route';
  registry.counters('quotient_http_requests_total', answered, ['route', 'method', 'status'], rows);
  const durations = 'From a request to the end of its answer';
  registry.histograms('quotient_http_request_duration_seconds', durations, BOUNDS, rows);
}
