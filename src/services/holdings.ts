import { type Clock, DAY, HOUR } from '../domain/clock.ts';
import { GRAINS, type Grain } from '../domain/grain.ts';
import type { Sample } from '../domain/sample.ts';
import { createSeries, type Series } from '../domain/series.ts';
import { type Span, union } from '../domain/span.ts';
import { listedAt, TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import type { ArchiveStore, Coverage, Holding, HoldingSummary, LatestRow } from '../stores/archive.ts';
import type { RefreshStore } from '../stores/refreshes.ts';
import { createWatch } from './watch.ts';

/** Minute samples older than this stay in the store and are read when asked for; hours and days are all in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;
/** How far back an answer about the last day may have changed rows. */
const LAST_DAY = DAY + 2 * HOUR;

type Held = { series: Series; coverage: Span[]; loadedAt: number };

/** What is fetched: one name for each thing, by which fetches are told apart here and in the store. */
export type Fetch = 'latest' | `${'chart' | 'hours' | 'daily' | 'import'}:${TokenName}`;

const isFetch = (what: string): what is Fetch => /^(latest$|(chart|hours|daily|import):)/.test(what);

type Touched = { token: TokenName; grain: Grain; from: number };

/** The rows that a fetch may have changed. */
function touched(what: Fetch, now: number): Touched[] {
  const [kind, name] = what.split(':');
  const tokens = TOKEN_NAMES.filter((token) => name === undefined || token === name);
  const recent = (grain: Grain) => tokens.map((token) => ({ token, grain, from: now - LAST_DAY }));
  const all = (grain: Grain) => tokens.map((token) => ({ token, grain, from: 0 }));
  if (kind === 'hours') return [...recent('minute'), ...all('hour')];
  if (kind === 'daily' || kind === 'import') return [...recent('minute'), ...recent('hour'), ...all('day')];
  return [...recent('minute'), ...recent('hour')];
}

type Parts = { store: ArchiveStore; refreshes: Pick<RefreshStore, 'all'>; clock: Clock };

/**
 * The archive in memory: for each token and grain its series and the spans of which all is known. Whatever is
 * learnt is written to the store first and then read back, here as in every other process, so that what is
 * answered is what is stored.
 */
export async function openHoldings({ store, refreshes, clock }: Parts) {
  const held = new Map<string, Held>();
  const latest = new Map<TokenName, LatestRow>();
  let summary: Promise<HoldingSummary[]> | undefined;
  let generation = 0;

  const oldest = (grain: Grain) => (grain === 'minute' ? clock.now() - MINUTES_IN_MEMORY : 0);
  function of(token: TokenName, grain: Grain): Held {
    const key = `${token}:${grain}`;
    const known = held.get(key) ?? { series: createSeries(), coverage: [], loadedAt: 0 };
    held.set(key, known);
    return known;
  }

  async function loadSeries(token: TokenName, grain: Grain, from: number): Promise<void> {
    const mine = of(token, grain);
    const now = clock.now();
    const since = Math.max(oldest(grain), Math.min(from, mine.loadedAt - LAST_DAY));
    mine.series.replaceFrom(since, await store.samples(token, grain, since));
    mine.loadedAt = now;
  }

  function takeCoverage(rows: readonly Coverage[]): void {
    for (const token of TOKEN_NAMES) {
      for (const grain of GRAINS) {
        const mine = rows.filter((row) => row.token === token && row.grain === grain);
        of(token, grain).coverage = union(mine.map((row) => row.span));
      }
    }
  }

  async function takeOver(changed: readonly Fetch[]): Promise<void> {
    const rows = new Map<string, Touched>();
    for (const row of changed.flatMap((what) => touched(what, clock.now()))) {
      const key = `${row.token}:${row.grain}`;
      rows.set(key, { ...row, from: Math.min(row.from, rows.get(key)?.from ?? row.from) });
    }
    await load([...rows.values()]);
  }

  /** The coverage is read before the samples and taken over after them: it must not speak of any that are not there. */
  async function load(rows: readonly Touched[]): Promise<void> {
    const coverage = await store.coverage();
    await Promise.all(rows.map(({ token, grain, from }) => loadSeries(token, grain, from)));
    takeCoverage(coverage);
    for (const row of await store.latest()) latest.set(row.token, row);
    summary = undefined;
    generation += 1;
  }

  // Every row came with a version, and a series that was not read yet is read whole: the first look loads all there is.
  const { sync, version, fetchedAt } = createWatch({ refreshes, concerns: isFetch, takeOver });
  await sync();

  return {
    sync,
    version,
    fetchedAt,
    series: (token: TokenName, grain: Grain) => of(token, grain).series,
    coverage: (token: TokenName, grain: Grain): readonly Span[] => of(token, grain).coverage,
    latest: (token: TokenName) => latest.get(token),

    /** Rises with everything that is taken over. */
    generation: () => generation,

    /** The first instant of which anything can be known: the listing, or an import that reaches further back. */
    beginning(token: TokenName): number {
      const first = of(token, 'day').series.firstFrom(0);
      return Math.min(listedAt(token), first?.at ?? Number.POSITIVE_INFINITY);
    },

    /** The series that holds a grain from an instant on: read from the store where memory does not go back so far. */
    async reaching(token: TokenName, grain: Grain, from: number): Promise<Series> {
      const { series } = of(token, grain);
      if (from >= oldest(grain)) return series;
      return createSeries(await store.samples(token, grain, Math.max(0, from)));
    },

    /** The newest sample of a token, of whichever grain brought it. */
    newest: (token: TokenName): Sample | undefined => of(token, 'minute').series.last(),

    async record(what: Fetch, token: TokenName, holdings: readonly Holding[], at: number): Promise<void> {
      await store.record(what, token, holdings, at);
      await sync();
    },

    async recordLatest(rows: Parameters<ArchiveStore['recordLatest']>[1], at: number): Promise<void> {
      await store.recordLatest('latest' satisfies Fetch, rows, at);
      await sync();
    },

    /** Per token and grain: first and last sample and how many, counted by the store once after each change. */
    summary(): Promise<HoldingSummary[]> {
      summary ??= store.summary().catch((error) => {
        summary = undefined;
        throw error;
      });
      return summary;
    },
  };
}

export type Holdings = Awaited<ReturnType<typeof openHoldings>>;
