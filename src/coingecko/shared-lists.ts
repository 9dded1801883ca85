import type { Catalogue } from '#catalogue/catalogue';
import type { CoinList } from '#catalogue/coin-list';
import { type Clock, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { bodyOfList } from '#prices/history/series-text';
import type { Body } from '#server/responses/response-body';

/** How long all clients share a list, in ms. The lists are free, so that no allowance limits the number of requests. */
const KEPT_FOR = SECOND;
/** Facts about common platforms, which CoinGecko's list of coins does not contain: chain ID, name, native coin. */
const KNOWN: Readonly<Record<string, readonly [chain: number | null, name: string, native: string | null]>> = {
  ethereum: [1, 'Ethereum', 'ethereum'],
  'binance-smart-chain': [56, 'BNB Smart Chain', 'binancecoin'],
  'polygon-pos': [137, 'Polygon POS', 'polygon-ecosystem-token'],
  'arbitrum-one': [42161, 'Arbitrum One', 'ethereum'],
  'optimistic-ethereum': [10, 'Optimism', 'ethereum'],
  base: [8453, 'Base', 'ethereum'],
  avalanche: [43114, 'Avalanche', 'avalanche-2'],
  xdai: [100, 'Gnosis Chain', 'xdai'],
  fantom: [250, 'Fantom', 'fantom'],
  celo: [42220, 'Celo', 'celo'],
  zksync: [324, 'zkSync', 'ethereum'],
  linea: [59144, 'Linea', 'ethereum'],
  scroll: [534352, 'Scroll', 'ethereum'],
  solana: [null, 'Solana', 'solana'],
  tron: [null, 'TRON', 'tron'],
};

const titled = (id: string): string =>
  id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** A record of `/asset_platforms`. Unknown members are null. */
function platformRecord(id: string): object {
  const [chain_identifier = null, name = titled(id), native_coin_id = null] = KNOWN[id] ?? [];
  return {
    id,
    chain_identifier,
    name,
    shortname: '',
    native_coin_id,
    image: { thumb: null, small: null, large: null },
  };
}

type Dependencies = { catalogue: Pick<Catalogue, 'all' | 'generation'>; coinList: CoinList; clock: Clock };

/** The bodies of the long lists. Five thousand coins take half a megabyte. */
export function createSharedLists({ catalogue, coinList, clock }: Dependencies) {
  const shared = (records: () => Promise<readonly object[]>) =>
    memo(async () => bodyOfList(await records()), { ttl: KEPT_FOR, clock });

  const sorted = () => catalogue.all().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const coins = shared(async () => sorted().map(({ name: id, symbol, title: name }) => ({ id, symbol, name })));
  const withPlatforms = shared(async () => {
    await coinList.refresh().catch(() => undefined);
    const tokens = sorted();
    const known = await coinList.storedPlatforms(tokens.map(({ name }) => name));
    return tokens.map(({ name: id, symbol, title: name }) => ({ id, symbol, name, platforms: known.get(id) ?? {} }));
  });
  const platforms = shared(async () => (await coinList.platforms()).map(platformRecord));

  return {
    /** The served tokens by ID. */
    coins: (hasPlatforms: boolean): Promise<Body> => (hasPlatforms ? withPlatforms : coins)(catalogue.generation()),
    platforms: (): Promise<Body> => platforms(),
  };
}
