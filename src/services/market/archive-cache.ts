import { type Clock, DAY, HOUR } from '#domain/clock';
import type { Log } from '#domain/log';
import { INTERVALS, type Interval, knowablePart } from '#domain/market/interval';
import { plausibleTimes } from '#domain/market/plausible-sample';
import type { Sample } from '#domain/market/sample';
import { createSeries, type Series } from '#domain/market/series';
import { type Span, union } from '#domain/market/span';
import { knownSince, TOKEN_NAMES, type TokenName } from '#domain/market/token';
import { createPoll } from '#services/upstream/poll';
import type { ArchiveStore, Coverage, LatestRow, SeriesSummary, SeriesUpdate } from '#stores/market/archive';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';

/** Older minute samples stay in the store and are read on request; hours and days are all in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;
/** Rows read from the store at once: of a year of minutes, page by page, so that the event loop turns. */
const PAGE = 2000;
/** How far back an answer about the last day may have changed rows. */
const LAST_DAY = DAY + 2 * HOUR;

type CachedSeries = { series: Series; coverage: Span[]; loadedAt: number };

/** The name of each fetch, here and in the store. */
export type Fetch = 'latest' | `${'chart' | 'hours' | 'daily' | 'import'}:${TokenName}`;

const isFetch = (what: string): what is Fetch => /^(latest$|(chart|hours|daily|import):)/.test(what);

type Touched = { token: TokenName; interval: Interval; from: number };

/** The rows that a fetch may have changed. */
function touched(what: Fetch, now: number): Touched[] {
  const [kind, name] = what.split(':');
  const tokens = TOKEN_NAMES.filter((token) => name === undefined || token === name);
  const recent = (interval: Interval) => tokens.map((token) => ({ token, interval, from: now - LAST_DAY }));
  const all = (interval: Interval) => tokens.map((token) => ({ token, interval, from: 0 }));
  if (kind === 'hours') return [...recent('minute'), ...all('hour')];
  if (kind === 'daily' || kind === 'import') return [...recent('minute'), ...recent('hour'), ...all('day')];
  return [...recent('minute'), ...recent('hour')];
}

/** The spans of a series that are complete, as of now: of stored coverage what can be known yet. */
export function coveredSpans(rows: readonly Coverage[], token: TokenName, interval: Interval, now: number) {
  const mine = rows.filter((row) => row.token === token && row.interval === interval);
  return union(mine.flatMap(({ span }) => knowablePart(interval, span, now) ?? []));
}

type Dependencies = { store: ArchiveStore; refreshes: Pick<RefreshStore, 'all'>; clock: Clock; log: Log };

/**
 * The archive in memory: for each token and interval its series and its coverage. What is fetched is written to the
 * store first and then reloaded, in this process as in every other, so that the memory is what is stored.
 */
export async function openArchiveCache({ store, refreshes, clock, log }: Dependencies) {
  const cached = new Map<string, CachedSeries>();
  const latest = new Map<TokenName, LatestRow>();
  let summary: Promise<SeriesSummary[]> | undefined;
  let generation = 0;

  const oldest = (interval: Interval) => (interval === 'minute' ? clock.now() - MINUTES_IN_MEMORY : 0);
  function of(token: TokenName, interval: Interval): CachedSeries {
    const key = `${token}:${interval}`;
    const known = cached.get(key) ?? { series: createSeries(), coverage: [], loadedAt: 0 };
    cached.set(key, known);
    return known;
  }

  /** The plausible samples from an instant on. */
  function samples(token: TokenName, interval: Interval, from: number, most?: number) {
    const times = plausibleTimes(clock.now());
    return store.samples(token, interval, { ...times, from: Math.max(times.from, from) }, most);
  }

  async function loadSeries(token: TokenName, interval: Interval, from: number): Promise<void> {
    const mine = of(token, interval);
    const now = clock.now();
    const since = Math.max(oldest(interval), Math.min(from, mine.loadedAt - LAST_DAY));
    mine.series.replaceFrom(since, await samples(token, interval, since));
    mine.loadedAt = now;
  }

  function setCoverage(rows: readonly Coverage[]): void {
    const now = clock.now();
    for (const token of TOKEN_NAMES) {
      for (const interval of INTERVALS)
        of(token, interval).coverage = coveredSpans(rows, token, interval, now);
    }
  }

  async function reload(changed: readonly Fetch[]): Promise<void> {
    const rows = new Map<string, Touched>();
    for (const row of changed.flatMap((what) => touched(what, clock.now()))) {
      const key = `${row.token}:${row.interval}`;
      rows.set(key, { ...row, from: Math.min(row.from, rows.get(key)?.from ?? row.from) });
    }
    await load([...rows.values()]);
  }

  /** The coverage is read before the samples and set after them: it must not cover samples that are not loaded. */
  async function load(rows: readonly Touched[]): Promise<void> {
    const coverage = await store.coverage();
    await Promise.all(rows.map(({ token, interval, from }) => loadSeries(token, interval, from)));
    setCoverage(coverage);
    for (const row of await store.latest(plausibleTimes(clock.now()))) latest.set(row.token, row);
    summary = undefined;
    generation += 1;
  }

  // No version is known yet, so the first poll loads everything.
  const { sync, version, fetchedAt } = createPoll({ refreshes, concerns: isFetch, reload });
  await sync();
  for (const row of await store.leftAside(plausibleTimes(clock.now()))) {
    log.warn(row, 'rows that cannot be true are left aside');
  }

  return {
    sync,
    version,
    fetchedAt,
    series: (token: TokenName, interval: Interval) => of(token, interval).series,
    coverage: (token: TokenName, interval: Interval): readonly Span[] => of(token, interval).coverage,
    latest: (token: TokenName) => latest.get(token),

    /** Rises with each reload. */
    generation: () => generation,

    /** The first instant of which anything is known: the listing, or a stored day of before it. */
    beginning: (token: TokenName): number => knownSince(token, of(token, 'day').series.firstFrom(0)?.at),

    /** The series from an instant on: read from the store where the memory does not go back so far. */
    async reaching(token: TokenName, interval: Interval, from: number): Promise<Series> {
      const { series } = of(token, interval);
      if (from >= oldest(interval)) return series;
      const older = createSeries();
      for (let next = from; ; ) {
        const page = await samples(token, interval, next, PAGE);
        older.replaceFrom(next, page);
        if (page.length < PAGE) return older;
        next = (page.at(-1) as Sample).at + 1;
      }
    },

    /** The newest sample of a token, whichever fetch brought it. */
    newest: (token: TokenName): Sample | undefined => of(token, 'minute').series.last(),

    async record(what: Fetch, token: TokenName, updates: readonly SeriesUpdate[], at: number): Promise<void> {
      await store.record(what, token, updates, at);
      await sync();
    },

    async recordLatest(rows: Parameters<ArchiveStore['recordLatest']>[1], at: number): Promise<void> {
      await store.recordLatest('latest' satisfies Fetch, rows, at);
      await sync();
    },

    /** For each series its first and last sample and their number, counted by the store once after each change. */
    summary(): Promise<SeriesSummary[]> {
      summary ??= store.summary(plausibleTimes(clock.now())).catch((error) => {
        summary = undefined;
        throw error;
      });
      return summary;
    },
  };
}

export type ArchiveCache = Awaited<ReturnType<typeof openArchiveCache>>;
