import { z } from 'zod';
import { instant } from '#core/forms/record-fields';
import type { Problem } from '#core/problems';
import type { WindowSize } from '#prices/history/window-reader';
import type { WantedScope } from '#server/gate';
import type { UsageRecord } from '#users/users-records';

export type Cell = string | number | null | undefined;
/** The cells of a row, or a record whose members are in the order of the columns. */
export type Row = readonly Cell[] | Readonly<Record<string, Cell>>;

type Provenance = {
  /** As in `Quotient-Source`. */
  source: string;
  /** The time of the newest data, in Unix ms. */
  at: number;
  gaps?: readonly string[];
  /** As in `Quotient-Currency`, for currencies other than the US dollar. */
  currency?: string | undefined;
  note?: string | undefined;
};

/** The data as JSON, and its rows as lines in a JSON string, for models that read only text. `DATA` exists only in types. */
export type Written<Data> = { readonly json: string; readonly lines: string; readonly [DATA]?: Data };
declare const DATA: unique symbol;

export type ToolResult<Data> = Provenance & { written: Written<Data> };

/** The request that contains a call, as far as the gate and the tools need it. */
export type Caller = {
  requestId: string;
  user: number;
  hasScope(scope: WantedScope): boolean;
  /** Throws `scope_missing`. */
  requireScope(scope: WantedScope): void;
  /** Throws `quota_exceeded`. The response settles the charge. */
  charge(calls: number): Promise<void> | undefined;
  /** Counts a free request to the node. Throws `key_limit_exceeded`. */
  countNodeRequest(): Promise<void> | undefined;
  refund(): void;
  /** Waits for a window's turn among the user's large responses. Throws `overloaded` if too many wait. */
  turn(size: WindowSize): Promise<void> | undefined;
  remaining(): number | Promise<number>;
  usage(): Promise<UsageRecord>;
  /** Counts and logs an error, and converts it to a problem. */
  report(error: unknown): Problem;
};

/** `signal` creates its signal on first use, because most calls do not wait. It aborts when the client disconnects. */
export type ToolCall = { readonly caller: Caller; signal(): AbortSignal };

export type Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  scope: WantedScope;
  cost?: (input: z.output<Input>) => number;
  input: Input;
  output: Output;
  call(input: z.output<Input>, call: ToolCall): ToolResult<z.input<Output>> | Promise<ToolResult<z.input<Output>>>;
};

/** Infers the types of a tool, and hides them from the list of all tools. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool =>
  tool as unknown as Tool;

export const provenance = z.object({
  source: z.string(),
  asOf: instant,
  remainingCalls: z.int(),
});

export const priceProvenance = {
  currency: z.string().optional(),
  gaps: z.array(z.string()).optional(),
  note: z.string().optional(),
};
