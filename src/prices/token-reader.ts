import { knownSince } from '#catalogue/catalogue';
import type { Token, TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { type ArchiveStore, isInactive } from '#prices/latest/latest-store';
import type { Backfill } from '#prices/refresh/backfill';
import { firstProvided } from '#prices/refresh/backfill-plan';
import type { SeriesSummary } from '#prices/series/series-store';
import { plausibleTimes } from '#upstream/items/plausible';
import { INTERVALS, type Interval } from './model/interval.ts';

/** The archived span and number of points of an interval, across all sources. */
function heldOf(rows: readonly SeriesSummary[], interval: Interval) {
  const ofInterval = rows.filter((row) => row.interval === interval);
  if (ofInterval.length === 0) return undefined;
  return {
    interval,
    from: Math.min(...ofInterval.map(({ from }) => from)),
    thru: Math.max(...ofInterval.map(({ thru }) => thru)),
    points: ofInterval.reduce((sum, { points }) => sum + points, 0),
  };
}

type Deps = {
  store: Pick<ArchiveStore, 'changes' | 'summary' | 'priceTimes'>;
  backfill: Pick<Backfill, 'reach'>;
  clock: Clock;
};

/**
 * Creates the function that reads the archive's state and returns a function that reports tokens: the first instant and
 * the last price (Unix ms), the archived spans, and the first price per interval. Counts samples after changes.
 */
export function createTokenReader({ store, backfill, clock }: Deps) {
  const counted = new Map<TokenName, { changes: number | undefined; rows: readonly SeriesSummary[] }>();

  async function count(tokens: readonly Token[], changes: ReadonlyMap<TokenName, number>): Promise<void> {
    const names = tokens.map(({ name }) => name);
    const changed = names.filter((name) => changes.has(name) && counted.get(name)?.changes !== changes.get(name));
    const rows = changed.length > 0 ? await store.summary(plausibleTimes(clock.now()), changed) : [];
    const rowsOf = Map.groupBy(rows, ({ token }) => token);
    for (const name of changed) counted.set(name, { changes: changes.get(name), rows: rowsOf.get(name) ?? [] });
  }

  return async () => {
    const [changes, times] = await Promise.all([store.changes(), store.priceTimes()]);
    const timesOf = new Map(times.map((time) => [time.token, time]));

    return async (tokens: readonly Token[]) => {
      await count(tokens, changes);
      return tokens.map((token) => {
        const rows = changes.has(token.name) ? (counted.get(token.name)?.rows ?? []) : [];
        const held = INTERVALS.flatMap((interval) => heldOf(rows, interval) ?? []);
        const firstDay = held.find(({ interval }) => interval === 'day')?.from;
        const listedAt = knownSince(token, firstDay);
        const firstPrice = (interval: Interval) => {
          const stored = held.find((span) => span.interval === interval)?.from ?? Number.POSITIVE_INFINITY;
          const provided = firstProvided(interval, { reach: backfill.reach(interval), now: clock.now() });
          return Math.min(stored, Math.max(listedAt, provided));
        };
        const { pricedAt = null, respondedAt = null } = timesOf.get(token.name) ?? {};
        return { token, listedAt, held, firstPrice, pricedAt, isInactive: isInactive({ pricedAt, respondedAt }) };
      });
    };
  };
}
