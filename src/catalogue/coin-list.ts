import { type Clock, DAY } from '#core/clock';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createFetchRunner } from '#upstream/fetch-runner';
import { ageAt } from '#upstream/freshness';
import type { SingleFlight } from '#upstream/single-flight';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { CoinListStore } from './coin-list-store.ts';
import { COINS, comparedAddress, type ListedCoin } from './token.ts';

/** The list is fetched at most once in this time, in ms. */
const FETCH_INTERVAL = DAY;

/** Follows the time of the last fetch by any process. The list itself stays in the database. */
export const watchCoinList = (versions: Pick<VersionWatcher, 'watch'>) =>
  versions.watch<typeof COINS>({ names: () => [COINS], reload: async () => undefined });

type Dependencies = {
  /** Undefined if CoinGecko is not a source of the service. */
  source: { coins(): Promise<ListedCoin[]> } | undefined;
  store: CoinListStore;
  watched: ReturnType<typeof watchCoinList>;
  singleFlight: SingleFlight<typeof COINS>;
  clock: Clock;
};

/** CoinGecko's list of coins, fetched on request and daily. Throws `UpstreamFailure` if none is stored. */
export function createCoinList({ source, store, watched, singleFlight, clock }: Dependencies) {
  async function fetch(): Promise<void> {
    if (!source) return;
    const coins = await source.coins();
    if (coins.length === 0) throw new UpstreamFailure('coingecko', 'empty', 'no coins');
    const written = coins.map(({ platforms, ...coin }) => ({
      ...coin,
      platforms: Object.fromEntries(Object.entries(platforms).map(([name, at]) => [name, comparedAddress(at)])),
    }));
    await store.replace(written, clock.now());
    await watched.sync();
  }

  /** A caller waits only if no list is stored yet. */
  async function refresh(): Promise<void> {
    if (!source) return;
    if (watched.fetchedAt(COINS) === undefined) await watched.sync();
    const age = ageAt(watched.fetchedAt(COINS), clock.now());
    if (age < FETCH_INTERVAL) return;
    const runner = createFetchRunner({ singleFlight, clock });
    const isStored = watched.fetchedAt(COINS) !== undefined;
    await runner.run(COINS, isStored ? 'none' : 'end', fetch);
    const { failure } = runner.outcome;
    if (!isStored && failure instanceof UpstreamFailure) throw failure;
  }

  /** Reads the stored list. Fetches the list first if it is due. */
  const refreshed =
    <Input extends unknown[], Output>(read: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      await refresh();
      return read(...input);
    };

  return {
    refresh,
    named: refreshed(store.named),
    find: refreshed(store.find),
    platforms: refreshed(store.platforms),

    /** The ID of the coin with each address on a platform, by address in the form in which addresses are compared. */
    at: refreshed(async (platform: string, addresses: readonly string[]): Promise<Map<string, string>> => {
      const rows = await store.at(platform, addresses.map(comparedAddress));
      return new Map(rows.map(({ address, coin }) => [address, coin]));
    }),

    /** The stored addresses of some coins, by ID. Never fetches the list. */
    async storedPlatforms(ids: readonly string[]): Promise<Map<string, ListedCoin['platforms']>> {
      const coins = await store.named(ids);
      return new Map(coins.map(({ id, platforms }) => [id, platforms]));
    },

    ids: store.ids,
    warnings: singleFlight.warnings,
    idle: singleFlight.idle,
  };
}

export type CoinList = ReturnType<typeof createCoinList>;
