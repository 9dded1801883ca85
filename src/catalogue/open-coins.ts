import type { CapabilityDeps } from '#server/capability';
import { createCoinList, watchCoinList } from './coin-list.ts';
import { createCoinListStore } from './coin-list-store.ts';
import { createListing } from './listing.ts';
import { createRequestedTokens } from './requested-tokens.ts';
import type { ListedCoin } from './token.ts';
import { createTokenStore } from './token-store.ts';

type Deps = Pick<CapabilityDeps, 'database' | 'openSingleFlight' | 'versions' | 'clock'>;

/** Opens CoinGecko's list of coins. The replacement of the list has no deadline, because it takes seconds. */
export function openCoinList(deps: Deps, source: { coins(): Promise<ListedCoin[]> } | undefined) {
  const { database, openSingleFlight, versions, clock } = deps;
  const watched = watchCoinList(versions);
  const singleFlight = openSingleFlight(watched);
  return createCoinList({ source, store: createCoinListStore(database.prisma), watched, singleFlight, clock });
}

type Stored<Dependencies> = Omit<Dependencies, 'store'> & Pick<CapabilityDeps, 'database' | 'deadline'>;
type ListingDeps = Stored<Parameters<typeof createListing>[0]>;
type RequestDeps = Stored<Parameters<typeof createRequestedTokens>[0]>;

export const openListing = ({ database, deadline, ...deps }: ListingDeps) =>
  createListing({ ...deps, store: deadline.over(createTokenStore(database.prisma)) });

export const openRequestedTokens = ({ database, deadline, ...deps }: RequestDeps) =>
  createRequestedTokens({ ...deps, store: deadline.over(createTokenStore(database.prisma)) });
