import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE, type SourceFacts } from '#prices/model/market-sources';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import type { Exchange } from './exchange.ts';
import { kraken } from './kraken.ts';

export type ExchangeName = Exclude<MarketSourceName, typeof PRIMARY_SOURCE>;

/** The exchanges by name. A new exchange is a file, an entry here, and its name in `MARKET_SOURCES`. */
export const EXCHANGES: Readonly<Record<ExchangeName, Exchange>> = { kraken, coinbase };

export const isExchange = (name: MarketSourceName): name is ExchangeName => name !== PRIMARY_SOURCE;
export const EXCHANGE_NAMES: readonly ExchangeName[] = MARKET_SOURCES.filter(isExchange);

export const SOURCE_FACTS: Readonly<Record<MarketSourceName, SourceFacts>> = { coingecko, ...EXCHANGES };
