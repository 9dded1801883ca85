import { type Clock, HOUR, MINUTE } from '#domain/clock';
import type { TokenName } from '#domain/market/token';
import { type FailureCause, UpstreamFailure } from '#domain/upstream/failure';

/** How long a list of the venue's pairs is relied on, and how soon it is asked for again where it could not be had. In ms. */
const RELIED_ON = HOUR;
const TRIED_AGAIN = 5 * MINUTE;

/** An answer that tells nothing of the pairs, and nothing of whether the venue can be asked. */
const TELLS_NOTHING: ReadonlySet<FailureCause> = new Set([
  'refused',
  'not_json',
  'unexpected',
  'empty',
  'too_large',
]);

/** A token whose pair is not traded now: `status` is the venue's word for it, `gone` where it has no such pair. */
export type LeftOut = { token: TokenName; pair: string; status: string };

type Dependencies = {
  /** The pair of each token. */
  pairs: Readonly<Partial<Record<TokenName, string>>>;
  clock: Clock;
  /** Told once of each pair that is left out, and again when its status is another. */
  leftOut: (pair: LeftOut) => void;
};

/** Which tokens are traded at the venue now, by its own list of pairs. */
export function createTradedPairs({ pairs, clock, leftOut }: Dependencies) {
  const table = new Map(Object.entries(pairs) as [TokenName, string][]);
  const toldOf = new Map<TokenName, string>();
  let traded: ReadonlyMap<TokenName, string> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  function select(statuses: ReadonlyMap<string, string>): void {
    const online = new Map<TokenName, string>();
    for (const [token, pair] of table) {
      const status = statuses.get(pair) ?? 'gone';
      if (status === 'online') online.set(token, pair);
      else if (toldOf.get(token) !== status) leftOut({ token, pair, status });
      toldOf.set(token, status);
    }
    traded = online;
    dueAt = clock.elapsed() + RELIED_ON;
  }

  /** Where the list cannot be had, the last one stands; where there was none, the table does, if the venue answers. */
  async function check(askStatuses: () => Promise<ReadonlyMap<string, string>>): Promise<void> {
    try {
      select(await askStatuses());
    } catch (error) {
      const answered = error instanceof UpstreamFailure && TELLS_NOTHING.has(error.reason);
      if (!traded && !answered) throw error;
      traded ??= table;
      dueAt = clock.elapsed() + TRIED_AGAIN;
    }
  }

  /** The pair of each token that is traded; asks for the list when its time has come, once for all who wait for it. */
  return async function tradedPairs(
    askStatuses: () => Promise<ReadonlyMap<string, string>>,
  ): Promise<ReadonlyMap<TokenName, string>> {
    if (clock.elapsed() >= dueAt) {
      checking ??= check(askStatuses).finally(() => {
        checking = undefined;
      });
      await checking;
    }
    return traded ?? table;
  };
}
