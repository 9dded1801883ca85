import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';

/** The names of a pair in the exchange's own list, with the main name first. No other name identifies the pair. */
export type PairNames = readonly [string, ...string[]];
export type ListedPair = { names: PairNames; status: string };

/** Pairs by each of their names. Main names take precedence. */
export type PairList = ReadonlyMap<string, ListedPair>;

export function pairList(pairs: readonly ListedPair[]): PairList {
  const list = new Map<string, ListedPair>();
  for (const pair of pairs) for (const name of pair.names.slice(1)) list.set(name, pair);
  for (const pair of pairs) list.set(pair.names[0], pair);
  return list;
}

/** In ms. The second value applies if a pair is not traded or the list could not be read. */
const RELIED_ON = HOUR;
const TRIED_AGAIN = 5 * MINUTE;

/** Causes that do not show whether the pairs are traded or the exchange is available. */
const INCONCLUSIVE: ReadonlySet<FailureCause> = new Set(['refused', 'not_json', 'unexpected', 'empty', 'too_large']);

/** The statuses of pairs that are currently traded. In any other status, such as `cancel_only`, nothing is traded. */
const TRADED: ReadonlySet<string> = new Set(['online', 'limit_only', 'post_only', 'reduce_only']);

/** `status` is the exchange's term, or `gone` if the exchange no longer lists the pair. */
export type UntradedPair = { token: TokenName; pair: string; status: string };

export type KnownPair = { names: PairNames; isTraded: boolean };

type RequestPairs = () => Promise<PairList>;
type FindPair = (pairOfToken: Pick<UntradedPair, 'token' | 'pair'>) => KnownPair | undefined;

type Dependencies = {
  clock: Clock;
  /** Called once for each untraded pair, and again when its status changes. */
  untraded: (pair: UntradedPair) => void;
};

/** The pairs that an exchange currently lists. A renamed pair is found by its other names. */
export function createListedPairs({ clock, untraded }: Dependencies) {
  const reportedOf = new Map<TokenName, string>();
  let listed: PairList | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  /** After a failure, the previous list remains valid. Without a list, pairs are traded if the exchange responds. */
  async function check(requestPairs: RequestPairs): Promise<void> {
    try {
      listed = await requestPairs();
      dueAt = clock.elapsed() + RELIED_ON;
    } catch (error) {
      const answered = error instanceof UpstreamFailure && INCONCLUSIVE.has(error.reason);
      if (!listed && !answered) throw error;
      dueAt = clock.elapsed() + TRIED_AGAIN;
    }
    readAt = clock.elapsed();
  }

  const find: FindPair = ({ token, pair }) => {
    const found = listed?.get(pair);
    const status = listed ? (found?.status ?? 'gone') : 'online';
    const isTraded = TRADED.has(status);
    // A status is temporary, and a pair that is gone may have been renamed.
    if (status !== 'online') dueAt = Math.min(dueAt, readAt + TRIED_AGAIN);
    if (!isTraded && reportedOf.get(token) !== status) untraded({ token, pair, status });
    reportedOf.set(token, status);
    if (!listed) return { names: [pair], isTraded };
    return found && { names: found.names, isTraded };
  };

  return {
    /** Requests the list when it is due, once for all concurrent callers. */
    async current(requestPairs: RequestPairs): Promise<FindPair> {
      if (clock.elapsed() >= dueAt) {
        checking ??= check(requestPairs).finally(() => {
          checking = undefined;
        });
        await checking;
      }
      return find;
    },

    /** Makes the list due because the name of a pair is not in it. Returns false if the list has just been read. */
    expire(): boolean {
      if (clock.elapsed() < readAt + TRIED_AGAIN) return false;
      dueAt = Number.NEGATIVE_INFINITY;
      return true;
    },
  };
}
