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
export function platformRecord(id: string): object {
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
