import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { ageAt } from '#upstream/freshness';
import type { DemandStore } from './demand-store.ts';
import { QUOTES_PER_CALL } from './fetches.ts';
import type { ScheduledLoad } from './refresh-schedule.ts';

/**
 * How long a token is in demand after a request, in ms. During that time, the schedule fetches the token's latest
 * price.
 */
export const IN_DEMAND = HOUR;
/** The shortest time between two records of a token's demand, in ms. */
const NOTE_EVERY = 5 * MINUTE;
type Dependencies = { store: DemandStore; clock: Clock };

/** The requested tokens, across all processes. */
export function createDemand({ store, clock }: Dependencies) {
  /** When this process last received a request for a token (Unix ms). */
  const requestedAt = new Map<TokenName, number>();
  const notedAt = new Map<TokenName, number>();

  /** Shares this process's requested tokens with the other processes. */
  async function note(): Promise<void> {
    const since = (token: TokenName) => notedAt.get(token) ?? Number.NEGATIVE_INFINITY;
    const news = [...requestedAt].filter(([token, at]) => at - since(token) >= NOTE_EVERY);
    if (news.length === 0) return;
    const now = clock.now();
    const tokens = news.map(([token]) => token);
    await store.note(tokens, now);
    for (const token of tokens) notedAt.set(token, now);
  }

  return {
    mark: (token: TokenName): void => void requestedAt.set(token, clock.now()),
    note,

    /** The tokens requested within the hour, by name. */
    async tokens(): Promise<TokenName[]> {
      await note();
      return store.since(clock.now() - IN_DEMAND);
    },
  };
}

export type Demand = ReturnType<typeof createDemand>;

/** In ms. A token's chart or daily series is in demand if it was fetched within this time. */
const IN_USE = DAY + HOUR;
type LoadDependencies = { archive: Pick<ArchiveCache, 'fetchedAt' | 'generation' | 'loaded'>; clock: Clock };

/** The schedule's load, from data in memory. It is recounted after each change. */
export function createScheduledLoad({ archive, clock }: LoadDependencies) {
  let counted: { generation: number; load: ScheduledLoad } | undefined;

  function count(): ScheduledLoad {
    const now = clock.now();
    const tokens = archive.loaded();
    const inUse = (kind: 'chart' | 'daily') =>
      tokens.filter((token) => ageAt(archive.fetchedAt(`${kind}:${token}`), now) < IN_USE).length;
    const latest = Math.max(1, Math.ceil(tokens.length / QUOTES_PER_CALL));
    return { latest, charts: inUse('chart'), days: inUse('daily') };
  }

  return function scheduledLoad(): ScheduledLoad {
    const generation = archive.generation();
    if (counted?.generation !== generation) counted = { generation, load: count() };
    return counted.load;
  };
}
