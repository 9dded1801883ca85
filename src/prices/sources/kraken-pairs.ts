import type { TokenName } from '#catalogue/token';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { ListedPair } from './kraken-wire.ts';

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

/** Whether the pair of a token is traded now. */
type IsTraded = (one: Pick<LeftOut, 'token' | 'pair'>) => boolean;

type AskPairs = () => Promise<ReadonlyMap<string, ListedPair>>;

type Dependencies = {
  clock: Clock;
  /** Told once of each pair that is left out, and again when its status is another. */
  leftOut: (pair: LeftOut) => void;
};

/** Which pairs are traded at the venue now, by its own list of them. */
export function createTradedPairs({ clock, leftOut }: Dependencies) {
  const toldOf = new Map<TokenName, string>();
  let listed: ReadonlyMap<string, ListedPair> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  /** Where the list cannot be had, the last one stands; where there was none, every pair does, if the venue answers. */
  async function check(askPairs: AskPairs): Promise<void> {
    try {
      listed = await askPairs();
      dueAt = clock.elapsed() + RELIED_ON;
    } catch (error) {
      const answered = error instanceof UpstreamFailure && TELLS_NOTHING.has(error.reason);
      if (!listed && !answered) throw error;
      dueAt = clock.elapsed() + TRIED_AGAIN;
    }
  }

  const isTraded: IsTraded = ({ token, pair }) => {
    const status = listed ? (listed.get(pair)?.status ?? 'gone') : 'online';
    if (status !== 'online' && toldOf.get(token) !== status) leftOut({ token, pair, status });
    toldOf.set(token, status);
    return status === 'online';
  };

  /** Tells whether a pair is traded; asks for the list when its time has come, once for all who wait for it. */
  return async function tradedPairs(askPairs: AskPairs): Promise<IsTraded> {
    if (clock.elapsed() >= dueAt) {
      checking ??= check(askPairs).finally(() => {
        checking = undefined;
      });
      await checking;
    }
    return isTraded;
  };
}
