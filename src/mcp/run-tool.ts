import { iso } from '#core/clock';
import { type Problem, problemKind } from '#core/problems';
import { annotate } from '#core/tracing';
import { untilAborted } from '#core/until-aborted';
import { inputSchema } from '#mcp/protocol/json-schema';
import { type JsonKind, readJsonText } from '#mcp/protocol/read-message';
import { assertNoSecretNames } from '#server/connections/request-head';
import { parameterValidator } from '#server/parameter-validator';
import type { CountCall } from './mcp-metrics.ts';
import type { Cell, Row, Tool, ToolCall, ToolResult } from './tool.ts';

/** The maximum number of lines in a table, including the header. */
const MAX_LINES = 56;

/** `count` positions from 0 through `last`, evenly spaced, both ends included. */
const spread = (last: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)));

/** Quotes a text that could be read as several cells or lines, such as the log of a transaction. */
const cellText = (cell: Cell): string | number =>
  typeof cell === 'string' && /[",\r\n]/.test(cell) ? JSON.stringify(cell) : (cell ?? '');

/** Comma-separated lines. A longer table contains evenly spaced rows, among them the first and the last. */
export function table(columns: readonly string[], rows: readonly Row[]): string {
  const maxRows = MAX_LINES - 2;
  const isLong = rows.length > maxRows;
  const shown = isLong ? spread(rows.length - 1, maxRows).map((i) => rows[i] as Row) : rows;
  const lines = [columns, ...shown].map((row) => Object.values(row).map(cellText).join(','));
  if (isLong) lines.push(`${maxRows} of ${rows.length} rows, evenly spaced. structuredContent contains all.`);
  return lines.join('\n');
}

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
  return { isError: true, content: [{ type: 'text' as const, text: lines.join('\n') }] };
}

/** `structuredContent`, and the same as text for models that read only text. */
function resultOf(result: ToolResult<object>, remainingCalls: number, successors: string | undefined) {
  const { data, columns, rows, source, at, gaps = [], currency, note } = result;
  const asOf = iso(at);
  const lines = [
    table(columns, rows),
    `Source: ${source}. As of ${asOf}. Remaining calls: ${remainingCalls}.`,
    ...(successors === undefined ? [] : [`Tokens that replace requested tokens: ${successors}`]),
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

  async function run(tool: Tool, args: Record<string, unknown>, { caller, signal }: ToolCall) {
    caller.requireScope(tool.scope);
    await ensureTokens(caller.user, args);
    const input = inputOf(tool, args);
    const cost = tool.cost?.(input) ?? 0;
    if (cost > 0) await caller.charge(cost);
    else if (tool.scope === 'node') await caller.countNodeRequest();
    const result = await untilAborted(tool.call(input, { caller, signal }), signal);
    return resultOf(result, await caller.remaining(), findSuccessors(args));
  }

  return async function runTool(tool: Tool, input: Record<string, unknown>, { caller, signal }: ToolCall) {
    annotate({ 'gen_ai.tool.name': tool.name });
    try {
      const result = await run(tool, input, { caller, signal });
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
      return rejectionOf(problem, caller.requestId);
    }
  };
}
