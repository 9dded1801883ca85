import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import type { Nodes } from '#node/open-node';
import type { Candles } from '#prices/candles/candles';
import type { Currency } from '#prices/model/currency';
import type { Market } from '#prices/open-market';
import type { Statistics } from '#statistics/statistics';
import { createCallNode } from './call-node.ts';
import { toolParameters } from './parameters.ts';
import type { Tool } from './tool.ts';
import { getBalances } from './tools/get-balances.ts';
import { getChainStatistics } from './tools/get-chain-statistics.ts';
import { getLatestPrices } from './tools/get-latest-prices.ts';
import { getPriceOnDate } from './tools/get-price-on-date.ts';
import { getCandles, getPriceHistory } from './tools/get-series.ts';
import { getTransaction } from './tools/get-transaction.ts';
import { getUsage } from './tools/get-usage.ts';
import { listTokens } from './tools/list-tokens.ts';

export type ToolDeps = {
  catalogue: Catalogue;
  prices: { market: Market; candles: Candles; currencies: readonly Currency[] };
  statistics: { statistics: Statistics };
  nodes: Pick<Nodes, 'node' | 'begin' | 'isConfigured'>;
  clock: Clock;
};

export function createTools({ catalogue, prices, statistics, nodes, clock }: ToolDeps): Tool[] {
  const { market, candles, currencies } = prices;
  const parameters = toolParameters({ catalogue, currencies, clock });
  const callNode = createCallNode(nodes);
  return [
    listTokens({ market, clock }),
    getLatestPrices(market, parameters),
    getPriceOnDate(market, parameters),
    getPriceHistory({ market, parameters, clock }),
    getCandles({ candles, parameters, clock }),
    getChainStatistics(statistics.statistics),
    getUsage(clock),
    ...(nodes.isConfigured ? [getBalances(callNode, clock), getTransaction(callNode, clock)] : []),
  ];
}
