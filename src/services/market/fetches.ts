import { type Clock, DAY, HOUR } from '../domain/clock.ts';
import { type Grain, isSettled, slotOf, startOfDate } from '../domain/grain.ts';
import { firstOfEach, type Sample, splitDaily } from '../domain/sample.ts';
import { overlap, type Span } from '../domain/span.ts';
import { TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import type { CoinGecko } from '../sources/coingecko.ts';
import type { Holding } from '../stores/archive.ts';
import type { Holdings } from './holdings.ts';

/** The aggregator gives hours for spans of up to so many days. */
const HOURLY_DAYS = 90;
/** A piece of hours further back, in ms: shorter, since it is asked for in whole seconds, and above 90 days are days. */
const LONGEST_PIECE = HOURLY_DAYS * DAY - HOUR;

/** The calls there are to the aggregator, each with all that its answer is good for. All throw `UpstreamFailure`. */
export function createFetches(parts: { source: CoinGecko; holdings: Holdings; clock: Clock }) {
  const { source, holdings, clock } = parts;

  const archived = (grain: Grain, samples: readonly Sample[], fetchedAt: number) =>
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

  return {
    reach: source.reach,

    /** One call for the latest price of every token. */
    async latest(): Promise<void> {
      const quotes = await source.quotes(TOKEN_NAMES);
      const fetchedAt = clock.now();
      const rows = quotes.map(({ token, record, at }) => {
        const { current_price: price, market_cap: marketCap, total_volume: volume } = record;
        return { token, record, at, fetchedAt, holdings: loose(token, { at, price, marketCap, volume }) };
      });
      await holdings.recordLatest(rows, fetchedAt);
    },

    /** One call for the last day of a token: its samples as they are, and the first of each hour. */
    async chart(token: TokenName): Promise<void> {
      const samples = await source.recent(token, 1);
      const now = clock.now();
      const from = now - DAY;
      const firstHour = slotOf('hour', from + HOUR - 1);
      const sinceFirstHour = samples.filter(({ at }) => at >= firstHour);
      const hours = firstOfEach('hour', sinceFirstHour);
      const parts: Holding[] = [
        { grain: 'minute', samples: archived('minute', samples, now), covers: { from, thru: now } },
        { grain: 'hour', samples: archived('hour', hours, now), covers: { from: firstHour, thru: now } },
      ];
      await holdings.record(`chart:${token}`, token, parts, now);
    },

    /** One call for hours further back than a day; a span in the last 90 days brings all of these. */
    async hours(token: TokenName, span: Span): Promise<void> {
      const asked = clock.now();
      const isRecent = span.thru >= asked - HOURLY_DAYS * DAY;
      const samples = isRecent ? await source.recent(token, HOURLY_DAYS) : await source.between(token, span);
      const now = clock.now();
      const covers = isRecent ? { from: asked - HOURLY_DAYS * DAY, thru: now } : span;
      const mine = isRecent ? samples : samples.filter(({ at }) => overlap({ from: at, thru: at }, span));
      const parts: Holding[] = [{ grain: 'hour', samples: archived('hour', mine, now), covers }];
      await holdings.record(`hours:${token}`, token, parts, now);
    },

    /** One call for every midnight from an instant on, as far as the plan reaches. */
    async daily(token: TokenName, from: number): Promise<void> {
      const days = Math.ceil((clock.now() - from) / DAY);
      const samples = await source.daily(token, Number.isFinite(source.reach(0)) ? days : 'max');
      const now = clock.now();
      const { days: midnights, trailing } = splitDaily(samples);
      const parts: Holding[] = trailing ? loose(token, trailing) : [];
      const last = midnights.at(-1);
      if (last) {
        // A date without a row is a hole once a later one has its row; until then it may still come.
        const thru = isSettled('day', last.at, now) ? startOfDate(last.at) + DAY - 1 : startOfDate(now) - 1;
        const covers = { from: startOfDate(from), thru };
        parts.push({ grain: 'day', samples: archived('day', midnights, now), covers });
      }
      await holdings.record(`daily:${token}`, token, parts, now);
    },

    /** A gap in pieces that are each one call for hours: what lies in the last 90 days is one. */
    hourlyPieces(gap: Span): Span[] {
      const recentFrom = clock.now() - HOURLY_DAYS * DAY;
      const pieces: Span[] = [];
      for (let from = gap.from; from <= gap.thru; ) {
        const furthest = Math.min(from + LONGEST_PIECE - 1, recentFrom - 1);
        const thru = from >= recentFrom ? gap.thru : Math.min(gap.thru, furthest);
        pieces.push({ from, thru });
        from = thru + 1;
      }
      return pieces;
    },
  };
}

export type Fetches = ReturnType<typeof createFetches>;
