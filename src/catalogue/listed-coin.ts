/** The row of `Refresh` with the version and the time of CoinGecko's list of coins. */
export const COINS = 'coins';

/** A coin in CoinGecko's list. `symbol` is in lower case. `platforms` maps a platform to the contract's address there. */
export type ListedCoin = { id: string; symbol: string; title: string; platforms: Readonly<Record<string, string>> };

/** Addresses of EVM platforms are case-insensitive: their capitals are only a checksum. */
const EVM_ADDRESS = /^0x[\da-f]{40}$/i;

/** An address as it is compared. Only addresses of EVM platforms are case-insensitive. */
export const comparedAddress = (address: string): string =>
  EVM_ADDRESS.test(address) ? address.toLowerCase() : address;
