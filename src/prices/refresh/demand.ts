import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { ageAt } from '#upstream/freshness';
import type { DemandStore } from './demand-store.ts';
import { QUOTES_PER_CALL } from './fetches.ts';
import type { ScheduledLoad } from './refresh-schedule.ts';

/** How long after it was asked for the latest price of a token is fetched by the schedule, in ms. */
export const IN_DEMAND = HOUR;
/** How soon a process notes again that a token is asked for, in ms. */
const NOTE_EVERY = 5 * MINUTE;

type Dependencies = { store: DemandStore; clock: Clock };

/** Which tokens are asked for, in all processes together. */
export function createDemand({ store, clock }: Dependencies) {
  /** By this process; instants in Unix ms. */
  const requestedAt = new Map<TokenName, number>();
  const notedAt = new Map<TokenName, number>();

  /** Tells the other processes which tokens this one was asked for. */
  async function note(): Promise<void> {
    const since = (token: TokenName) => notedAt.get(token) ?? Number.NEGATIVE_INFINITY;
    const news = [...requestedAt].filter(([token, at]) => at - since(token) >= NOTE_EVERY);
    if (news.length === 0) return;
    const now = clock.now();
    await store.note(
      news.map(([token]) => token),
      now,
    );
    for (const [token] of news) notedAt.set(token, now);
  }

  return {
    /** A token is asked for. */
    mark: (token: TokenName): void => void requestedAt.set(token, clock.now()),

    note,

    /** Those that were asked for within the hour, by name. */
    async tokens(): Promise<TokenName[]> {
      await note();
      return store.since(clock.now() - IN_DEMAND);
    },
  };
}

export type Demand = ReturnType<typeof createDemand>;

/** What was fetched within this, in ms, is fetched again by the schedule; nobody asks for the rest. */
const IN_USE = DAY + HOUR;

type LoadDependencies = {
  archive: Pick<ArchiveCache, 'fetchedAt' | 'generation' | 'loaded'>;
  clock: Clock;
};

/** What the schedule fetches now, by what is in memory: counted again when anything was stored. */
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
