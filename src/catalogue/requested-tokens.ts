import { type Clock, DAY, HOUR, isoDate, MINUTE } from '#core/clock';
import type { Job } from '#core/jobs';
import type { Log } from '#core/log';
import { UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import type { Catalogue } from './catalogue.ts';
import { type CoinSource, createCoinFacts, type PairSource } from './coin-facts.ts';
import type { CoinList } from './coin-list.ts';
import { isTokenId, isTokenSymbol, type ListedCoin, type TokenName } from './token.ts';
import { KEPT_WITHOUT_REQUEST, type TokenStore } from './token-store.ts';

const REMOVAL_INTERVAL = HOUR;

/** The pause after a failed addition of a token, in ms. It doubles with each further failure. */
const FIRST_PAUSE = 10 * MINUTE;
const LONGEST_PAUSE = DAY;

/** The failed additions of a token. `dueAt` is monotonic. */
type Failed = { times: number; dueAt: number };

/** Whether the source was called. A circuit breaker or a budget can prevent the call. */
const wasCalled = (error: unknown): boolean =>
  !(error instanceof UpstreamFailure && ['resting', 'over_budget'].includes(error.reason));

type Dependencies = {
  coinGecko: Pick<CoinSource, 'daily' | 'history'>;
  coins: Pick<CoinList, 'named'>;
  exchanges: readonly PairSource[];
  store: Pick<TokenStore, 'reserve' | 'addRequested' | 'removeUnused'>;
  catalogue: Catalogue & { sync(): Promise<void> };
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Adds listed tokens that keys request, with one call each. An ID that is not listed costs no call. */
export function createRequestedTokens(dependencies: Dependencies) {
  const { coinGecko, coins, exchanges, store, catalogue, clock, log, failures } = dependencies;
  const { firstDate, pairsFor } = createCoinFacts({ coinGecko, exchanges, catalogue, clock });
  const underWay = new Map<TokenName, Promise<void>>();
  /** At most one entry per listed coin. */
  const failed = new Map<TokenName, Failed>();

  /** Users share the pauses, so that a coin without usable data cannot spend the month's calls. */
  const isPaused = (token: TokenName): boolean =>
    (failed.get(token)?.dueAt ?? Number.NEGATIVE_INFINITY) > clock.elapsed();

  function pause(token: TokenName): void {
    const { times } = failed.get(token) ?? { times: 0 };
    const dueAt = clock.elapsed() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** times);
    failed.set(token, { times: times + 1, dueAt });
  }

  async function add({ id, symbol, title }: ListedCoin): Promise<void> {
    const named = { id, symbol, title, genesis: undefined, priced: [] };
    const { listed, price } = await firstDate({ ...named, price: null });
    const { pairs } = await pairsFor({ ...named, price });
    const begins = isoDate(FIRST_BLOCK);
    await store.addRequested({ name: id, symbol, title, begins, listed, statistics: false, pairs }, clock.now());
    log.info({ token: id }, 'requested token added');
  }

  /** If the addition fails, the token stays unknown. */
  function addOnce(coin: ListedCoin): Promise<void> {
    const pendingAddition = underWay.get(coin.id);
    if (pendingAddition) return pendingAddition;
    const adding = add(coin)
      .then(() => void failed.delete(coin.id))
      .catch((error: unknown) => {
        if (wasCalled(error)) pause(coin.id);
        failures.failed('addition of a requested token', error);
      })
      .finally(() => underWay.delete(coin.id));
    underWay.set(coin.id, adding);
    return adding;
  }

  async function addListed(user: number, ids: readonly TokenName[]): Promise<void> {
    const listed = (await coins.named(ids)).filter(({ id, symbol }) => isTokenSymbol(symbol) && !isPaused(id));
    if (listed.length === 0) return;
    const joined = listed.flatMap(({ id }) => underWay.get(id) ?? []);
    const wanted = listed.map(({ id }) => id).filter((id) => !underWay.has(id));
    const reserved = new Set(wanted.length > 0 ? await store.reserve(user, wanted, clock.now()) : []);
    await Promise.all([...joined, ...listed.filter(({ id }) => reserved.has(id)).map(addOnce)]);
    await catalogue.sync();
  }

  async function removeUnused(): Promise<void> {
    if ((await store.removeUnused(clock.now())) === 0) return;
    await catalogue.sync();
    log.info({ days: KEPT_WITHOUT_REQUEST / HOUR / 24 }, 'tokens without requests removed');
  }

  return {
    /** Adds the unknown tokens among these IDs for a user. Undefined if there are none. Failed ones stay unknown. */
    ensure(user: number, texts: readonly string[]): Promise<void> | undefined {
      const ids = [...new Set(texts.map((text) => text.trim().toLowerCase()))];
      const unknown = ids.filter((id) => isTokenId(id) && !catalogue.find(id));
      if (unknown.length === 0) return undefined;
      return addListed(user, unknown).catch((error: unknown) => failures.failed('list of coins', error));
    },

    job: { name: 'removal of unused tokens', every: REMOVAL_INTERVAL, run: removeUnused } satisfies Job,
  };
}

export type RequestedTokens = Pick<ReturnType<typeof createRequestedTokens>, 'ensure'>;

/** Used if the service adds no tokens on request. */
export const NO_REQUESTED_TOKENS: RequestedTokens = { ensure: () => undefined };
