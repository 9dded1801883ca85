import type { TokenName } from '#catalogue/token';
import { type Clock, MINUTE, type Span } from '#core/clock';
import type { ArchiveCache, Fetch } from '#prices/archive/archive-cache';
import { gapsIn, type Interval, slotOf, spacingOf, type Window } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import { createRecorder } from '#prices/refresh/fetches';
import type { FallbackSource } from '#prices/sources/kraken';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH, type SingleFlight } from '#upstream/fetch-runner';
import { ageAt } from '#upstream/freshness';

type Dependencies = {
  fallback: FallbackSource;
  archive: ArchiveCache;
  singleFlight: SingleFlight<Fetch>;
  retention: Retention;
  clock: Clock;
};

type Missing = { token: TokenName; interval: Interval; from: number };

export function createWindowFailover({ fallback, archive, singleFlight, retention, clock }: Dependencies) {
  const recorder = createRecorder(fallback.name, { archive, retention });
  const nameOf = (token: TokenName, interval: Interval): Fetch => `${fallback.name}:${interval}:${token}`;
  /** The instant (Unix ms) from which this process last requested each series. */
  const requestedFrom = new Map<Fetch, number>();

  const gapsFrom = (beginning: number, token: TokenName, { interval, span }: Pick<Window, 'interval' | 'span'>) =>
    gapsIn(interval, span, { now: clock.now(), beginning, coverage: archive.coverage(token, interval) });

  function gaps(token: TokenName, window: Window): Span[] {
    const now = clock.now();
    // The two oldest samples may be gone or incomplete when the response arrives.
    const reach = fallback.reach(window.interval, now) + 2 * spacingOf(window.interval);
    return gapsFrom(Math.max(archive.beginning(token), reach, keptFrom(retention, fallback.name, now)), token, window);
  }

  async function fetchSamples({ token, interval, from }: Missing): Promise<void> {
    requestedFrom.set(nameOf(token, interval), from);
    const reported = await fallback.samples(token, interval, from);
    const rows = reported.filter(({ at }) => at >= from).map((sample) => ({ ...sample, settled: false }));
    const [head, last] = [rows[0], rows.at(-1)];
    // Kraken may not have listed the token before its first sample, so nothing is known about that time.
    const covers = head &&
      last && { from: Math.max(from, head.at - spacingOf(interval) + 1), thru: slotOf('minute', last.at) + MINUTE - 1 };
    await recorder.record(nameOf(token, interval), token, [{ interval, rows, covers }], clock.now());
  }

  /** Whether a newer sample has become available, or this process has not requested samples this old. */
  function isDue({ token, interval, from }: Missing): boolean {
    const slot = (at: number) => Math.floor(at / spacingOf(interval));
    const now = clock.now();
    const fetchedAt = archive.fetchedAt(nameOf(token, interval)) ?? Number.NEGATIVE_INFINITY;
    const isOlder = from < (requestedFrom.get(nameOf(token, interval)) ?? Number.POSITIVE_INFINITY);
    return isOlder || ageAt(fetchedAt, now) === Number.POSITIVE_INFINITY || slot(now) > slot(fetchedAt);
  }

  return {
    isComplete: (token: TokenName, window: Window): boolean =>
      gapsFrom(archive.beginning(token), token, window).length === 0,

    /** Fills a window's gaps in one call. Calls again when a newer sample becomes available. */
    async window(token: TokenName, window: Window): Promise<FetchOutcome> {
      const { interval } = window;
      const [gap] = gaps(token, window);
      const missing = gap && { token, interval, from: gap.from };
      if (!missing || !isDue(missing)) return NOTHING_TO_FETCH;
      const runner = createFetchRunner({ singleFlight, clock });
      await runner.run(nameOf(token, interval), 'end', () => fetchSamples(missing));
      return runner.outcome;
    },
  };
}

export type WindowFailover = ReturnType<typeof createWindowFailover>;
