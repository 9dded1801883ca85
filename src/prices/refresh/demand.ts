import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import type { DemandStore } from './demand-store.ts';

/** How long a token is in demand after a request, in ms. During this time, its latest price is fetched on schedule. */
const IN_DEMAND = HOUR;
const NOTE_EVERY = 5 * MINUTE;
type Dependencies = { store: DemandStore; clock: Clock };

/** The requested tokens, across all processes. */
export function createDemand({ store, clock }: Dependencies) {
  /** When a token was last requested, and recorded (Unix ms). A clock that is set back delays no record. */
  const requestedAt = new Map<TokenName, number>();
  const notedAt = new Map<TokenName, number>();

  let size = 0;

  /** Shares this process's requested tokens with the other processes. */
  async function note(): Promise<void> {
    const since = (token: TokenName) => notedAt.get(token) ?? Number.NEGATIVE_INFINITY;
    const news = [...requestedAt].filter(([token, at]) => Math.abs(at - since(token)) >= NOTE_EVERY);
    if (news.length === 0) return;
    const now = clock.now();
    const tokens = news.map(([token]) => token);
    await store.note(tokens, now);
    for (const token of tokens) notedAt.set(token, now);
  }

  return {
    mark: (token: TokenName): void => void requestedAt.set(token, clock.now()),
    note,

    async tokens(): Promise<TokenName[]> {
      await note();
      const now = clock.now();
      const tokens = await store.since(now - IN_DEMAND, now);
      size = tokens.length;
      return tokens;
    },
    size: (): number => size,
    unpriced: (tokens: readonly TokenName[]): Promise<void> => store.unpriced(tokens, clock.now()),
  };
}

export type Demand = ReturnType<typeof createDemand>;
