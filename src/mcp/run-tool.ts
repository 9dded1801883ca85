import { iso } from '#core/clock';
import { refuseSecretNames } from '#server/connections/request-head';
import { parameterValidator } from '#server/parameter-validator';
import type { CountCall } from './metrics.ts';
import { refusal } from './refusal.ts';
import { table } from './table.ts';
import type { Tool, ToolCall, ToolResult } from './tool.ts';
import { untilAborted } from './until-aborted.ts';

/** `structuredContent`, and the same as text for models that read only text. */
function resultOf(result: ToolResult<object>, remainingCalls: number) {
  const { data, columns, rows, source, at, gaps = [], currency, note } = result;
  const asOf = iso(at);
  const lines = [
    table(columns, rows),
    `Source: ${source}. As of ${asOf}. Remaining calls: ${remainingCalls}.`,
    ...(currency === undefined ? [] : [`Currency: ${currency}`]),
    ...(gaps.length > 0 ? [`Missing: ${gaps.join(', ')}`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const optional = { ...(currency !== undefined && { currency }), ...(gaps.length > 0 && { gaps: [...gaps] }) };
  return {
    content: [{ type: 'text' as const, text: lines.join('\n') }],
    structuredContent: { ...data, source, asOf, remainingCalls, ...optional, ...(note !== undefined && { note }) },
  };
}

/** Checks, charges and runs tools, in the order in which a route does. */
export function createToolRunner(count: CountCall) {
  const validators = new WeakMap<Tool, ReturnType<typeof parameterValidator>>();

  function inputOf(tool: Tool, given: Record<string, unknown>) {
    refuseSecretNames(Object.keys(given));
    const validate = validators.get(tool) ?? parameterValidator({ schema: tool.input, httpPart: 'arguments' });
    validators.set(tool, validate);
    const { error, value = {} } = validate(given);
    if (error) throw error;
    return value;
  }

  async function run(tool: Tool, given: Record<string, unknown>, { caller, signal }: ToolCall) {
    caller.requireScope(tool.scope);
    const input = inputOf(tool, given);
    const cost = tool.cost?.(input) ?? 0;
    if (cost > 0) await caller.charge(cost);
    const result = await untilAborted(tool.call(input, { caller, signal }), signal);
    return resultOf(result, await caller.remaining());
  }

  return async function runTool(tool: Tool, given: Record<string, unknown>, { caller, signal }: ToolCall) {
    try {
      const result = await run(tool, given, { caller, signal });
      count(tool.name, 'ok');
      return result;
    } catch (error) {
      caller.refund();
      if (signal.aborted) {
        count(tool.name, 'cancelled');
        throw error;
      }
      const problem = caller.report(error);
      count(tool.name, problem.status < 500 ? 'refused' : 'failed');
      return refusal(problem, caller.requestId);
    }
  };
}
