import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE } from '#core/clock';
import type { Warning } from '#upstream/freshness';

/** The pause after the first separate request for missing tokens, in ms. It doubles with each further request. */
const FIRST_PAUSE = 10 * MINUTE;
const LONGEST_PAUSE = DAY;
/** How long a token counts as missing after the last response that lacked it, in ms. */
const NOTED_FOR = HOUR;

/** Instants are monotonic. */
type Missing = { requests: number; dueAt: number; missedAt: number };

/**
 * The tokens that responses with latest prices lacked. Missing tokens are requested again without the other tokens:
 * immediately, and then at increasing intervals, so that an unknown token cannot spend the month's calls.
 */
export function createMissingTokens(clock: Clock) {
  const byToken = new Map<TokenName, Missing>();
  let underWay: ReadonlySet<TokenName> = new Set();

  const current = (): TokenName[] =>
    [...byToken].filter(([, { missedAt }]) => clock.elapsed() - missedAt < NOTED_FOR).map(([token]) => token);

  /** The missing tokens, if the next request for one of them is due. */
  function due(): TokenName[] {
    const now = clock.elapsed();
    const tokens = current();
    return tokens.some((token) => (byToken.get(token) as Missing).dueAt <= now) ? tokens : [];
  }

  return {
    /** Records which of the requested tokens a response lacked. */
    note(requested: readonly TokenName[], missing: readonly TokenName[]): void {
      const now = clock.elapsed();
      const lacked = new Set(missing);
      for (const token of requested) if (!lacked.has(token)) byToken.delete(token);
      for (const token of missing) {
        const before = byToken.get(token) ?? { requests: 0, dueAt: now };
        byToken.set(token, { ...before, missedAt: now });
      }
    },

    isDue: (): boolean => due().length > 0,

    /** Whether the first separate request for a token is due or under way. */
    isAwaited: (token: TokenName): boolean => byToken.get(token)?.requests === 0 || underWay.has(token),

    /** Requests the due tokens. All due tokens share one request, so their pauses stay synchronized. */
    async request(fetch: (tokens: readonly TokenName[]) => Promise<void>): Promise<void> {
      const tokens = due();
      for (const token of tokens) {
        const missing = byToken.get(token) as Missing;
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** missing.requests);
        byToken.set(token, { ...missing, requests: missing.requests + 1, dueAt: clock.elapsed() + pause });
      }
      underWay = new Set(tokens);
      try {
        await fetch(tokens);
      } finally {
        underWay = new Set();
      }
    },

    warnings(): Warning[] {
      const tokens = current();
      return tokens.length > 0 ? [{ about: 'missing prices', source: 'coingecko', tokens }] : [];
    },
  };
}
