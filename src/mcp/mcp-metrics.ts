import type { MetricsRegistry } from '#core/metrics';

/** `refused`: the caller must change something. `failed`: the service or a source is at fault. */
type CallOutcome = 'ok' | 'refused' | 'failed' | 'cancelled';

export function createCallCounter(metrics: MetricsRegistry) {
  const add = metrics.counter('quotient_mcp_calls_total', 'Calls of MCP tools, by tool and result', ['tool', 'result']);
  return (tool: string, result: CallOutcome): void => add({ tool, result });
}

export type CountCall = ReturnType<typeof createCallCounter>;
