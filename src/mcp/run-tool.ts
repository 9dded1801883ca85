import { iso } from '#core/clock';
import { type Problem, problemKind } from '#core/problems';
import { annotate } from '#core/tracing';
import { untilAborted } from '#core/until-aborted';
import { inputSchema } from '#mcp/protocol/json-schema';
import { type JsonKind, readJsonText } from '#mcp/protocol/read-message';
import { assertNoSecretNames } from '#server/connections/request-head';
import { parameterValidator } from '#server/parameter-validator';
import type { CountCall } from './mcp-metrics.ts';
import type { Tool, ToolCall, ToolResult } from './tool.ts';

/** Problems are written for HTTP. These phrases have another form in the result of a tool. */
const forTools = (text: string): string => text.replaceAll('`', '').replaceAll('GET /v1/tokens', 'list_tokens');

/** Each fault of the arguments with the expected input, which the detail of the problem can omit. */
const faultsIn = ({ message, members: { errors } }: Problem): string[] =>
  errors?.map(({ location, message, fix }) => `${location} ${message}: ${fix}`) ?? [message];

function remedyOf({ code, headers, members }: Problem): string {
  if (members.errors) return 'Correct the arguments and call the tool again.';
  const wait = headers['retry-after'] ?? 'a few';
  return forTools(problemKind(code).remedy).replace('the number of seconds in Retry-After', `${wait} seconds`);
}

function rejectionOf(problem: Problem, requestId: string) {
  const { code, title, headers, members } = problem;
  const wait = headers['retry-after'];
  const lines = [
    `${title} (${code})`,
    ...faultsIn(problem).map(forTools),
    remedyOf(problem),
    ...(wait === undefined ? [] : [`Retry after: ${wait} seconds`]),
    ...(members.gaps?.length ? [`Missing: ${members.gaps.join(', ')}`] : []),
    ...(members.error === undefined ? [] : [`Reported by the node: ${members.error}`]),
    `Request ID: ${requestId}. Nothing was charged.`,
  ];
  return JSON.stringify({ isError: true, content: [{ type: 'text', text: lines.join('\n') }] });
}

/** A result as JSON: `structuredContent`, and the same as text for models that read only text. */
function resultOf(result: ToolResult<object>, remainingCalls: number, successors: string | undefined): string {
  const { written, source, at, gaps = [], currency, note } = result;
  const asOf = iso(at);
  const lines = [
    `Source: ${source}. As of ${asOf}. Remaining calls: ${remainingCalls}.`,
    ...(successors === undefined ? [] : [`Tokens that replace requested tokens: ${successors}`]),
    ...(currency === undefined ? [] : [`Currency: ${currency}`]),
    ...(gaps.length > 0 ? [`Missing: ${gaps.join(', ')}`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const text = `"${written.lines}\\n${JSON.stringify(lines.join('\n')).slice(1)}`;
  const provenance = { source, asOf, remainingCalls, currency, gaps: gaps.length > 0 ? gaps : undefined, note };
  const structuredContent = `${written.json.slice(0, -1)},${JSON.stringify(provenance).slice(1)}`;
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${structuredContent}}`;
}

/** Reads the arguments of a tool. Some models write arrays and numbers as texts, and some texts as numbers. */
function readerOf(tool: Tool) {
  const { properties = {} } = inputSchema(tool.input) as { properties?: Record<string, { type?: unknown }> };
  const validate = parameterValidator({ schema: tool.input, httpPart: 'arguments' });
  const read = (name: string, value: unknown) => {
    const type = properties[name]?.type;
    if (type === 'string') return typeof value === 'number' ? String(value) : value;
    return readJsonText(value, type as JsonKind);
  };
  return (input: Record<string, unknown>) =>
    validate(Object.fromEntries(Object.entries(input).map(([name, value]) => [name, read(name, value)])));
}

/** Returns the tokens that replace tokens in the arguments of a call, separated by commas. */
export type FindSuccessors = (input: Record<string, unknown>) => string | undefined;

/** Adds unknown tokens in the arguments of a user's call, if the service adds tokens on request. */
export type EnsureTokens = (user: number, given: Record<string, unknown>) => Promise<void> | undefined;

/** Checks, charges and runs tools, in the order in which a route does. */
export function createToolRunner(count: CountCall, findSuccessors: FindSuccessors, ensureTokens: EnsureTokens) {
  const readers = new WeakMap<Tool, ReturnType<typeof readerOf>>();

  function inputOf(tool: Tool, input: Record<string, unknown>) {
    assertNoSecretNames(Object.keys(input));
    const read = readers.get(tool) ?? readerOf(tool);
    readers.set(tool, read);
    const { error, value = {} } = read(input);
    if (error) throw error;
    return value;
  }

  async function run(tool: Tool, args: Record<string, unknown>, call: ToolCall) {
    const { caller } = call;
    caller.requireScope(tool.scope);
    await ensureTokens(caller.user, args);
    const input = inputOf(tool, args);
    const cost = tool.cost?.(input) ?? 0;
    if (cost > 0) await caller.charge(cost);
    else if (tool.scope === 'node') await caller.countNodeRequest();
    const pending = tool.call(input, call);
    const result = pending instanceof Promise ? await untilAborted(pending, call.signal()) : pending;
    return resultOf(result, await caller.remaining(), findSuccessors(args));
  }

  /** Returns a result or a refusal as JSON. Rejects only if the client has disconnected. */
  return async function runTool(tool: Tool, input: Record<string, unknown>, call: ToolCall): Promise<string> {
    annotate({ 'gen_ai.tool.name': tool.name });
    try {
      const result = await run(tool, input, call);
      count(tool.name, 'ok');
      return result;
    } catch (error) {
      const { caller } = call;
      caller.refund();
      if (call.signal().aborted) {
        count(tool.name, 'cancelled');
        throw error;
      }
      const problem = caller.report(error);
      count(tool.name, problem.status < 500 ? 'refused' : 'failed');
      return rejectionOf(problem, caller.requestId);
    }
  };
}
