import type { Accounts } from '#accounts/open';
import type { MetricsRegistry } from '#core/metrics';
import type { Capability } from '#server/capability';
import { createCallCounter } from './metrics.ts';
import { mcp } from './routes.ts';
import { createTools, type ToolDeps } from './tools.ts';

type Deps = ToolDeps & { accounts: Pick<Accounts, 'allowance' | 'gate'>; metrics: MetricsRegistry };

export function openMcp({ accounts, metrics, ...deps }: Deps) {
  const tools = createTools(deps);
  const count = createCallCounter(metrics);

  return {
    rootRoutes: async (app, { bodies, report }) => {
      app.register(mcp, { bodies, report, accounts, tools, count });
    },
  } satisfies Capability;
}
