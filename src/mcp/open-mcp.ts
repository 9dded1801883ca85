import type { Catalogue } from '#catalogue/catalogue';
import type { RequestedTokens } from '#catalogue/requested-tokens';
import type { Clock } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import type { OpenGate } from '#gate/open-gate';
import type { Nodes } from '#node/open-node';
import type { Candles } from '#prices/candles/candles';
import type { EnterWindow } from '#prices/history/history-routes';
import type { Currency } from '#prices/model/currency';
import type { Market } from '#prices/open-market';
import { namesIn } from '#prices/parameters';
import { successorsIn } from '#prices/successors';
import type { Capability } from '#server/capability';
import type { Statistics } from '#statistics/statistics';
import { createCallCounter } from './mcp-metrics.ts';
import { mcp } from './mcp-routes.ts';
import { toolParameters } from './parameters.ts';
import type { Tool } from './tool.ts';
import { getChainStatistics } from './tools/get-chain-statistics.ts';
import { getLatestPrices, getPriceOnDate } from './tools/get-prices.ts';
import { getCandles, getPriceHistory } from './tools/get-series.ts';
import { getUsage } from './tools/get-usage.ts';
import { listTokens } from './tools/list-tokens.ts';
import { createCallNode, getBalances, getTransaction } from './tools/node-tools.ts';

type ToolDeps = {
  catalogue: Catalogue;
  prices: { market: Market; candles: Candles; currencies: readonly Currency[] };
  statistics: { statistics: Statistics };
  nodes: Pick<Nodes, 'node' | 'begin' | 'isConfigured'>;
  clock: Clock;
};

function createTools({ catalogue, prices, statistics, nodes, clock }: ToolDeps): Tool[] {
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

type Deps = ToolDeps & {
  accounts: Pick<OpenGate, 'allowance' | 'gate'>;
  prices: { enterWindow: EnterWindow; requestedTokens: RequestedTokens };
  metrics: MetricsRegistry;
};

export function openMcp({ accounts, metrics, ...deps }: Deps) {
  const tools = createTools(deps);
  const { enterWindow, requestedTokens } = deps.prices;
  const count = createCallCounter(metrics);

  function findSuccessors(given: Record<string, unknown>): string | undefined {
    if (!deps.catalogue.hasSuccessors()) return undefined;
    return successorsIn(`?${new URLSearchParams({ tokenNames: namesIn(given).join() })}`, deps.catalogue);
  }

  const ensureTokens = (user: number, given: Record<string, unknown>) => requestedTokens.ensure(user, namesIn(given));

  return {
    rootRoutes: async (app, { bodies, report }) => {
      app.register(mcp, { bodies, report, accounts, tools, enterWindow, count, findSuccessors, ensureTokens });
    },
  } satisfies Capability;
}
