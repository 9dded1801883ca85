import { type Clock, DAY } from '../domain/clock.ts';
import { daysWindow, type Grain, rangeWindow, startOfDate, type Window } from '../domain/grain.ts';
import type { DateSnapshot } from '../domain/records.ts';
import { isMidnightSample, type Sample } from '../domain/sample.ts';
import { isSettledSlice, type Series, samplesOf } from '../domain/series.ts';
import { seriesToCsv, seriesToJson } from '../domain/series-text.ts';
import { TOKENS, type TokenName } from '../domain/token.ts';
import { UpstreamFailure } from '../domain/upstream-failure.ts';
import { createAges } from './ages.ts';
import type { Answer } from './answer.ts';
import type { Filled } from './attempt.ts';
import { bodyOf, createBodies } from './bodies.ts';
import { createCompleteness } from './completeness.ts';
import type { Filling } from './filling.ts';
import type { Holdings } from './holdings.ts';
import { createRecall } from './recall.ts';
import { upstreamProblem } from './upstream-problem.ts';

export type Format = 'json' | 'csv';

type Parts = { holdings: Holdings; filling: Filling; clock: Clock };

type Shape = 'object' | 'list' | 'csv';
/** `list` is an array with the one series in it. */
const RENDER: Record<Shape, (samples: readonly Sample[]) => string> = {
  object: seriesToJson,
  list: (samples) => `[${seriesToJson(samples)}]`,
  csv: seriesToCsv,
};

const leftOut = new UpstreamFailure('coingecko', 'empty', 'the token was left out of the answer');

/** The verbs of market data: the latest price, one date, a window. All throw a problem when there is no answer. */
export function createMarket({ holdings, filling, clock }: Parts) {
  const bodies = createBodies();
  const recall = createRecall({ holdings, clock });
  const completeness = createCompleteness({ holdings, filling, clock });

  /** Until its own row is ready, the first sample after midnight stands in for today's; a later hour's does not. */
  function standIn(token: TokenName): Sample | undefined {
    const today = startOfDate(clock.now());
    const firsts = [
      holdings.series(token, 'minute').firstFrom(today),
      holdings.series(token, 'hour').firstFrom(today),
    ];
    const [first] = firsts.filter((sample) => sample !== undefined).sort((a, b) => a.at - b.at);
    return first && isMidnightSample(first.at) ? first : undefined;
  }

  /** What a window holds: rows of the archive, and the samples that follow them. To be used before any waiting. */
  function read(token: TokenName, { grain, span, open, withLatest }: Window, series: Series) {
    const slice = series.slice(span.from, open ? Number.POSITIVE_INFINITY : span.thru);
    const following: Sample[] = [];
    let lastAt = slice.end > slice.start ? (slice.columns.at[slice.end - 1] as number) : span.from - 1;
    const follow = (sample: Sample | undefined) => {
      if (!sample || sample.at <= lastAt) return;
      following.push(sample);
      lastAt = sample.at;
    };
    if (grain === 'day' && open && lastAt < startOfDate(clock.now())) follow(standIn(token));
    // The latest sample alone does not make a window: of what was asked for, nothing is there.
    const isEmpty = slice.start === slice.end && following.length === 0;
    if (withLatest) follow(holdings.newest(token));
    const inMemory = series === holdings.series(token, grain);
    return {
      isEmpty,
      // Minutes are told of the last day alone: what they were when it ended they stay.
      isSettled: !open && (isSettledSlice(slice) || (grain === 'minute' && span.thru < clock.now() - DAY)),
      lastAt,
      samples: () => [...samplesOf(slice), ...following],
      /** Names all the rows; undefined for rows that are not in memory, whose bodies are not kept. */
      version: inMemory
        ? [series.version, slice.start, slice.end, ...following.flatMap(Object.values)].join()
        : undefined,
    };
  }

  /** What is said of a window's answer, beside its body. */
  function facts(
    token: TokenName,
    window: Window,
    rows: { isSettled: boolean; lastAt: number },
    filled: Filled,
  ) {
    const whats = ['latest', `chart:${token}`, `hours:${token}`, `daily:${token}`] as const;
    const times = whats.flatMap((what) => holdings.fetchedAt(what) ?? []);
    const fetchedAt = window.open && times.length > 0 ? Math.max(...times) : undefined;
    const gaps = completeness.gaps(token, window);
    return {
      modifiedAt: rows.lastAt,
      fetchedAt,
      dueAt: filling.dueAt(fetchedAt ?? clock.now()),
      settled: rows.isSettled && gaps.length === 0,
      gaps,
      filled,
    };
  }

  async function history(question: string, token: TokenName, window: Window, shape: Shape): Promise<Answer> {
    const filled = await filling.window(token, window);
    const rows = read(token, window, await holdings.reaching(token, window.grain, window.span.from));
    if (rows.isEmpty) throw completeness.nothingToServe(token, window, filled.failure);
    const render = () => RENDER[shape](rows.samples());
    const { version } = rows;
    const body = version === undefined ? bodyOf(render()) : bodies.kept(question, version, render);
    return { body, ...facts(token, window, rows, filled) };
  }

  function latestAnswer(token: TokenName, filled: Filled): Answer {
    const row = holdings.latest(token);
    if (!row) throw upstreamProblem(filled.failure ?? leftOut);
    return {
      body: bodies.kept(token, String(row.fetchedAt), () => JSON.stringify(row.record)),
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: filling.dueAt(row.fetchedAt),
      settled: false,
      gaps: [],
      filled,
    };
  }

  /** A window's answer, or the one that was given to the same question a moment ago. */
  function recalled(
    about: readonly (string | number)[],
    make: (question: string) => Promise<Answer>,
  ): Answer | Promise<Answer> {
    const question = about.join();
    return recall.get(question) ?? make(question).then((answer) => recall.keep(question, answer));
  }

  return {
    /** The latest price record: at once when its time has not come. */
    latest(token: TokenName): Answer | Promise<Answer> {
      const known = recall.get(token);
      if (known) return known;
      const filled = filling.latest(token);
      if (filled instanceof Promise) return filled.then((outcome) => latestAnswer(token, outcome));
      return recall.keep(token, latestAnswer(token, filled));
    },

    /** An array of one snapshot: the figures at 00:00 UTC of a date (Unix ms of its midnight). */
    async date(token: TokenName, date: number, format: Format): Promise<Answer> {
      const window = { ...rangeWindow('day', date, date, clock.now()), withLatest: false };
      const filled = await filling.window(token, window);
      const rows = read(token, window, holdings.series(token, 'day'));
      const [sample] = rows.samples();
      if (!sample) throw completeness.nothingToServe(token, window, filled.failure);
      const { price: current_price, marketCap: market_cap, volume: total_volume } = sample;
      const snapshot: DateSnapshot = { current_price, market_cap, total_volume };
      const body = bodyOf(format === 'csv' ? seriesToCsv([sample]) : JSON.stringify([snapshot]));
      return { body, ...facts(token, window, { ...rows, lastAt: sample.at }, filled) };
    },

    /** The last so many days: minutes, hours or midnights (`daysWindow`). */
    days: (token: TokenName, days: number, format: Format) =>
      recalled([token, days, format], (question) =>
        history(question, token, daysWindow(days, clock.now()), format === 'csv' ? 'csv' : 'list'),
      ),

    /** From one date thru another (Unix ms of their midnights), both included. */
    range: (token: TokenName, grain: Grain, from: number, thru: number, format: Format) =>
      recalled([token, grain, from, thru, format], (question) =>
        history(
          question,
          token,
          rangeWindow(grain, from, thru, clock.now()),
          format === 'csv' ? 'csv' : 'object',
        ),
      ),

    /** What an operator should know: what could not be fetched, and why; and how old what is kept is. */
    warnings: filling.warnings,
    ages: createAges({ holdings, filling, clock }),

    /** When nothing is being fetched any more. */
    idle: filling.idle,

    /** The tokens, and what the archive holds of each. */
    async tokens() {
      const summary = await holdings.summary();
      return TOKENS.map((token) => ({ token, held: summary.filter((row) => row.token === token.name) }));
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
