import type { Clock } from '#domain/clock';
import type { Catalogue } from '#domain/market/catalogue';
import { daysWindow, INTERVALS, type Interval, rangeWindow, type Window } from '#domain/market/interval';
import type { Columns } from '#domain/market/series';
import { seriesCsv, seriesToCsv } from '#domain/market/series-csv';
import { seriesJson } from '#domain/market/series-json';
import { knownSince, type TokenName } from '#domain/market/token';
import type { DateSnapshot } from '#domain/records';
import { UpstreamFailure } from '#domain/upstream/failure';
import type { ArchiveCache } from '#services/archive/archive-cache';
import type { createArchiveSummary } from '#services/archive/archive-summary';
import { fetchesOf } from '#services/archive/fetch-names';
import { sourcesOf, versionOf } from '#services/archive/latest-prices';
import type { Answer } from '#services/caching/answer';
import { bodyOf } from '#services/caching/answer-body';
import { createAnswers } from '#services/caching/answers';
import { createLatestTable } from '#services/latest/latest-table';
import type { FetchOutcome } from '#services/upstream/fetch-outcome';
import { upstreamProblem } from '#services/upstream/problem';
import type { SeriesSummary } from '#stores/market/archive';
import type { Backfill } from './backfill.ts';
import { createGapReport } from './gaps.ts';
import type { KeyCheck } from './key-check.ts';
import { createStaleness } from './staleness.ts';
import { createWindowReader, type WindowRows } from './window-rows.ts';

export type Format = 'json' | 'csv';

type Dependencies = {
  archive: ArchiveCache;
  summary: ReturnType<typeof createArchiveSummary>;
  catalogue: Pick<Catalogue, 'all'>;
  backfill: Backfill;
  keyCheck: KeyCheck;
  clock: Clock;
};

type Shape = 'object' | 'list' | 'csv';
/** `list` is an array with the one series in it. */
const RENDER: Record<Shape, (columns: Columns) => Iterable<string>> = {
  object: seriesJson,
  *list(columns) {
    yield '[';
    yield* seriesJson(columns);
    yield ']';
  },
  csv: seriesCsv,
};

const leftOut = new UpstreamFailure('coingecko', 'empty', 'the token was left out of the answer');

/** What the archive holds of an interval, whoever told it; undefined for nothing. */
function heldOf(rows: readonly SeriesSummary[], interval: Interval) {
  const mine = rows.filter((row) => row.interval === interval);
  if (mine.length === 0) return undefined;
  return {
    interval,
    from: Math.min(...mine.map(({ from }) => from)),
    thru: Math.max(...mine.map(({ thru }) => thru)),
    points: mine.reduce((sum, { points }) => sum + points, 0),
  };
}

/** The verbs of market data: the latest price, one date, a window. All throw a problem when there is no answer. */
export function createMarket({ archive, summary, catalogue, backfill, keyCheck, clock }: Dependencies) {
  const answers = createAnswers({ source: archive, clock });
  const gapReport = createGapReport({ archive, backfill, clock });
  const { read, size } = createWindowReader({ archive, clock });

  /** What is said of a window's answer, beside its body. */
  function facts(
    token: TokenName,
    window: Window,
    rows: Pick<WindowRows, 'isSettled' | 'lastAt' | 'sources'>,
    outcome: FetchOutcome,
  ) {
    const times = fetchesOf(token).flatMap((what) => archive.fetchedAt(what) ?? []);
    const fetchedAt = window.open && times.length > 0 ? Math.max(...times) : undefined;
    const gaps = gapReport.gaps(token, window);
    return {
      source: rows.sources.join(', '),
      modifiedAt: rows.lastAt,
      fetchedAt,
      dueAt: backfill.dueAt(fetchedAt ?? clock.now()),
      settled: rows.isSettled && gaps.length === 0,
      gaps,
      outcome,
    };
  }

  async function history(question: string, token: TokenName, window: Window, shape: Shape): Promise<Answer> {
    await archive.load(token);
    const outcome = await backfill.window(token, window);
    const rows = read(token, window, await archive.reaching(token, window.interval, window.span.from));
    if (rows.isEmpty) throw gapReport.nothingToServe(token, window, outcome.failure);
    const answer = facts(token, window, rows, outcome);
    // Made of the rows as they are now, also where that takes a while.
    const wide = rows.isWide ? rows.columns() : undefined;
    const pieces = () => RENDER[shape](wide ?? rows.columns());
    return { body: await answers.bodyOf(question, rows, pieces), ...answer };
  }

  function latestAnswer(token: TokenName, outcome: FetchOutcome): Answer {
    const row = archive.latest(token);
    if (!row) throw upstreamProblem(outcome.failure ?? leftOut);
    return {
      body: answers.bodies.kept(token, versionOf(row), () => JSON.stringify(row.record)),
      source: sourcesOf([row], clock.now()),
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: backfill.dueAt(row.fetchedAt),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  function latest(token: TokenName): Answer | Promise<Answer> {
    const known = answers.cache.get(token);
    if (known) return known;
    const loading = archive.load(token);
    if (loading) return loading.then(() => latest(token));
    const outcome = backfill.latest(token);
    if (outcome instanceof Promise) return outcome.then((outcome) => latestAnswer(token, outcome));
    return answers.cache.keep(token, latestAnswer(token, outcome));
  }

  function ask(
    about: readonly (string | number)[],
    token: TokenName,
    window: Window,
    shape: Shape,
  ): Answer | Promise<Answer> {
    const question = about.join();
    const isLong = () => size(token, window) !== 'short';
    return answers.ask(question, isLong, () => history(question, token, window, shape));
  }

  return {
    /** The latest price record: at once when its time has not come. */
    latest,

    latestOf: createLatestTable({ archive, backfill, answers, leftOut, clock }),

    /** An array of one snapshot: the figures at 00:00 UTC of a date (Unix ms of its midnight). */
    async date(token: TokenName, date: number, format: Format): Promise<Answer> {
      const window = { ...rangeWindow('day', date, date, clock.now()), withLatest: false };
      await archive.load(token);
      const outcome = await backfill.window(token, window);
      const rows = read(token, window, archive.series(token, 'day'));
      const sample = rows.first();
      if (!sample) throw gapReport.nothingToServe(token, window, outcome.failure);
      const { price: current_price, marketCap: market_cap, volume: total_volume } = sample;
      const snapshot: DateSnapshot = { current_price, market_cap, total_volume };
      const body = bodyOf(format === 'csv' ? seriesToCsv([sample]) : JSON.stringify([snapshot]));
      return {
        body,
        ...facts(token, window, { ...rows, sources: [sample.source], lastAt: sample.at }, outcome),
      };
    },

    /** The last so many days: minutes, hours or midnights (`daysWindow`). */
    days(token: TokenName, days: number, format: Format): Answer | Promise<Answer> {
      const shape = format === 'csv' ? 'csv' : 'list';
      return ask([token, days, format], token, daysWindow(days, clock.now()), shape);
    },

    /** From one date thru another (Unix ms of their midnights), both included. */
    range(token: TokenName, interval: Interval, from: number, thru: number, format: Format) {
      const shape = format === 'csv' ? 'csv' : 'object';
      return ask(
        [token, interval, from, thru, format],
        token,
        rangeWindow(interval, from, thru, clock.now()),
        shape,
      );
    },

    size,

    /** What an operator should know: what the plan has less than is configured; what could not be fetched, and why. */
    warnings: (): string[] => [...keyCheck.warnings(), ...backfill.warnings()],
    /** How old what is kept is. */
    staleness: createStaleness({ archive, backfill, clock }),

    /** When nothing is being fetched any more. */
    async idle(): Promise<void> {
      await keyCheck.done;
      await backfill.idle();
    },

    /** Rises with what is stored. */
    generation: archive.generation,

    /** The tokens, since when (Unix ms) a price of each is known, and what the archive holds of it. */
    async tokens() {
      const rowsOf = Map.groupBy(await summary(), ({ token }) => token);
      return catalogue.all().map((token) => {
        const rows = rowsOf.get(token.name) ?? [];
        const held = INTERVALS.flatMap((interval) => heldOf(rows, interval) ?? []);
        const firstDay = held.find(({ interval }) => interval === 'day')?.from;
        return { token, listedAt: knownSince(token, firstDay), held };
      });
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
