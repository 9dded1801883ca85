import type { RequestedTokens } from '#catalogue/requested-tokens';
import type { MetricsRegistry } from '#core/metrics';
import type { OpenGate } from '#gate/open-gate';
import type { EnterWindow } from '#prices/history/history-routes';
import { namesIn } from '#prices/parameters';
import { successorsIn } from '#prices/successors';
import type { Capability } from '#server/capability';
import { createCallCounter } from './mcp-metrics.ts';
import { mcp } from './mcp-routes.ts';
import { createTools, type ToolDeps } from './tools.ts';

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
