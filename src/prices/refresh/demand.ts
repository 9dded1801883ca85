import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import type { DemandStore } from './demand-store.ts';

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
