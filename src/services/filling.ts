import { type Clock, DAY, HOUR } from '../domain/clock.ts';
import {
  dayReady,
  isGap,
  isSettled,
  lastKnowable,
  slotOf,
  startOfDate,
  type Window,
} from '../domain/grain.ts';
import { firstOfEach, type Sample, splitDaily } from '../domain/sample.ts';
import { overlap, type Span, without } from '../domain/span.ts';
import type { Timetable } from '../domain/timetable.ts';
import { TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import { UpstreamFailure } from '../domain/upstream-failure.ts';
import type { CoinGecko } from '../sources/coingecko.ts';
import type { Holding } from '../stores/archive.ts';
import type { Fetch, Holdings } from './holdings.ts';

/** The aggregator gives hours for spans of up to so many days. */
const HOURLY_DAYS = 90;
/** A long hourly window is filled over several requests, so that one of them does not spend the budget. */
const CALLS_PER_WINDOW = 5;
/** A day that was ready and not there yet is asked for again after this. */
const DAILY_RETRY = HOUR;

type Parts = { source: CoinGecko; holdings: Holdings; timetable: Timetable; clock: Clock };

/**
 * Brings into the archive what a window lacks, and nothing else. Each fetch runs once however many ask for it;
 * what the source has no plan for, or has no day ready for, is not asked.
 */
export function createFilling({ source, holdings, timetable, clock }: Parts) {
  const running = new Map<string, Promise<void>>();

  const failing = new Map<string, unknown>();

  async function tracked(key: string, fetch: () => Promise<void>): Promise<void> {
    try {
      await fetch();
      failing.delete(key);
    } catch (error) {
      failing.set(key, error);
      throw error;
    } finally {
      running.delete(key);
    }
  }

  function once(key: string, fetch: () => Promise<void>): Promise<void> {
    const flight = running.get(key) ?? tracked(key, fetch);
    running.set(key, flight);
    return flight;
  }

  const isDue = (what: Fetch, every: number, now: number) => {
    const at = holdings.fetchedAt(what);
    return at === undefined || now - at >= every;
  };

  const archived = (grain: Holding['grain'], samples: readonly Sample[], fetchedAt: number) =>
    samples.map((sample) => ({ ...sample, settled: isSettled(grain, sample.at, fetchedAt) }));

  /** A single new sample is a minute point, and an hour point where its hour has none yet. */
  function loose(token: TokenName, sample: Sample): Holding[] {
    const hour = slotOf('hour', sample.at);
    const { start, end } = holdings.series(token, 'hour').slice(hour, hour + HOUR - 1);
    const samples = [{ ...sample, settled: false }];
    return [
      { grain: 'minute', samples },
      ...(start === end ? [{ grain: 'hour', samples } satisfies Holding] : []),
    ];
  }

  /** One call for the latest price of every token. */
  const latest = () =>
    once('latest', async () => {
      const quotes = await source.quotes(TOKEN_NAMES);
      const fetchedAt = clock.now();
      const rows = quotes.map(({ token, record, at }) => ({
        token,
        record,
        at,
        fetchedAt,
        holdings: loose(token, {
          at,
          price: record.current_price,
          marketCap: record.market_cap,
          volume: record.total_volume,
        }),
      }));
      await holdings.recordLatest(rows, fetchedAt);
    });

  /** One call for the last day: its samples as they are, and the first of each hour. */
  const chart = (token: TokenName) =>
    once(`chart:${token}`, async () => {
      const samples = await source.recent(token, 1);
      const now = clock.now();
      const from = now - DAY;
      const firstHour = slotOf('hour', from + HOUR - 1);
      const hours = firstOfEach(
        'hour',
        samples.filter(({ at }) => at >= firstHour),
      );
      const parts: Holding[] = [
        { grain: 'minute', samples: archived('minute', samples, now), covers: { from, thru: now } },
        { grain: 'hour', samples: archived('hour', hours, now), covers: { from: firstHour, thru: now } },
      ];
      await holdings.record(`chart:${token}`, token, parts, now);
    });

  /** One call for hours further back than a day. */
  const hours = (token: TokenName, span: Span) => {
    const recent = span.thru >= clock.now() - HOURLY_DAYS * DAY;
    return once(`hours:${token}:${recent ? 'recent' : span.from}`, async () => {
      const samples = recent ? await source.recent(token, HOURLY_DAYS) : await source.between(token, span);
      const now = clock.now();
      const covers = recent ? { from: now - HOURLY_DAYS * DAY, thru: now } : span;
      const mine = samples.filter(({ at }) => recent || overlap({ from: at, thru: at }, span));
      const parts: Holding[] = [{ grain: 'hour', samples: archived('hour', mine, now), covers }];
      await holdings.record(`hours:${token}`, token, parts, now);
    });
  };

  /** One call for every midnight from an instant on, as far as the plan reaches. */
  const daily = (token: TokenName, from: number) =>
    once(`daily:${token}`, async () => {
      const asked = Math.ceil((clock.now() - from) / DAY);
      const samples = await source.daily(token, Number.isFinite(source.reach(0)) ? asked : 'max');
      const now = clock.now();
      const { days, trailing } = splitDaily(samples);
      const last = days.at(-1);
      const thru = last && isSettled('day', last.at, now) ? last.at : startOfDate(now) - 1;
      const covers = { from: startOfDate(from), thru: startOfDate(thru) + DAY - 1 };
      const parts: Holding[] = [
        { grain: 'day', samples: archived('day', days, now), covers },
        ...(trailing ? loose(token, trailing) : []),
      ];
      await holdings.record(`daily:${token}`, token, parts, now);
    });

  /** The part of a span that the plan reaches and the archive has not. */
  function reachableGaps(token: TokenName, { grain, span }: Window, now: number): Span[] {
    const edge = grain === 'day' ? startOfDate(source.reach(now) + DAY - 1) : source.reach(now);
    const possible = overlap(span, {
      from: Math.max(holdings.beginning(token), edge),
      thru: lastKnowable(grain, now),
    });
    if (!possible) return [];
    return without(possible, holdings.coverage(token, grain)).filter((gap) => isGap(grain, gap));
  }

  async function fillDays(token: TokenName, window: Window, now: number): Promise<void> {
    const gaps = reachableGaps(token, window, now);
    if (gaps.length === 0) return;
    const asked = holdings.fetchedAt(`daily:${token}`) ?? Number.NEGATIVE_INFINITY;
    const readySince = asked < dayReady(now) && now >= dayReady(now);
    if (now - asked < DAILY_RETRY && !readySince) return;
    const all = { ...window, span: { from: Number.NEGATIVE_INFINITY, thru: now } };
    const [first] = reachableGaps(token, all, now);
    if (first) await daily(token, first.from);
  }

  async function fillHours(token: TokenName, window: Window, now: number): Promise<void> {
    const lastDay = now - DAY;
    const older = reachableGaps(token, window, now).filter(({ from }) => from < lastDay);
    const spans = older.flatMap((gap) => chunks(gap, now));
    for (const span of spans.slice(0, CALLS_PER_WINDOW)) await hours(token, span);
    const [missing] = reachableGaps(token, window, now);
    if (missing && isDue(`chart:${token}`, timetable.chart, now)) await chart(token);
  }

  async function fillMinutes(token: TokenName, window: Window, now: number): Promise<void> {
    const reachesLastDay = window.span.thru >= now - DAY;
    if (reachesLastDay && isDue(`chart:${token}`, timetable.chart, now)) await chart(token);
  }

  return {
    /** The latest prices, if their time has come. Throws `UpstreamFailure`. */
    async latest(): Promise<void> {
      if (isDue('latest', timetable.latest, clock.now())) await latest();
    },

    /** What a window needs and the timetable allows. Throws `UpstreamFailure`; what came before it is kept. */
    async window(token: TokenName, window: Window): Promise<void> {
      const now = clock.now();
      const fill = { minute: fillMinutes, hour: fillHours, day: fillDays }[window.grain];
      await fill(token, window, now);
      const newest = holdings.newest(token)?.at ?? Number.NEGATIVE_INFINITY;
      if (window.open && now - newest >= timetable.latest && isDue('latest', timetable.latest, now))
        await latest();
    },

    /** What could not be fetched when it was last tried, and why. */
    warnings: (): string[] =>
      [...failing].map(
        ([key, error]) => `${key}: ${error instanceof UpstreamFailure ? error.reason : 'not stored'}`,
      ),

    /** The instant from which on the source's plan tells anything. */
    reach: () => source.reach(clock.now()),
  };
}

/** A gap in pieces that the aggregator answers hourly; what lies in its last 90 days is one piece. */
function chunks(gap: Span, now: number): Span[] {
  const recentFrom = now - HOURLY_DAYS * DAY;
  const pieces: Span[] = [];
  for (let from = gap.from; from <= gap.thru; ) {
    const thru =
      from >= recentFrom ? gap.thru : Math.min(gap.thru, from + HOURLY_DAYS * DAY - 1, recentFrom - 1);
    pieces.push({ from, thru });
    from = thru + 1;
  }
  return pieces;
}

export type Filling = ReturnType<typeof createFilling>;
