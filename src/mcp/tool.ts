import { z } from 'zod';
import type { UsageRecord } from '#accounts/records';
import type { Problem } from '#core/problems';
import { instant } from '#core/record-fields';
import type { WantedScope } from '#server/gate';
import type { Cell } from './table.ts';

/** The members of a result besides those of its tool. */
type Provenance = {
  /** As in `Quotient-Source`. */
  source: string;
  /** The time of the newest data, in Unix ms. */
  at: number;
  /** Missing spans. */
  gaps?: readonly string[];
  /** As in `Quotient-Currency`, for other currencies than the US dollar. */
  currency?: string | undefined;
  note?: string | undefined;
};

export type ToolResult<Data> = Provenance & {
  data: Data;
  /** The data as a table, for models that read only text. */
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
};

/** The request that contains a call, as far as the gate and the tools need it. */
export type Caller = {
  requestId: string;
  /** The user's record number. */
  user: number;
  covers(scope: WantedScope): boolean;
  /** Throws `scope_missing`. */
  requireScope(scope: WantedScope): void;
  /** Throws `quota_exceeded`. The response settles the charge. */
  charge(calls: number): Promise<void> | undefined;
  refund(): void;
  remaining(): number | Promise<number>;
  usage(): Promise<UsageRecord>;
  /** Counts and logs an error, and converts it to a problem. */
  report(error: unknown): Problem;
};

/** `signal` aborts when the client disconnects. */
export type ToolCall = { caller: Caller; signal: AbortSignal };

export type Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  /** For the model that chooses among the tools. */
  description: string;
  scope: WantedScope;
  /** The charged calls; free by default. */
  cost?: (input: z.output<Input>) => number;
  input: Input;
  /** The members of `structuredContent` besides those of every tool. */
  output: Output;
  call(input: z.output<Input>, call: ToolCall): Promise<ToolResult<z.input<Output>>>;
};

/** Infers the types of a tool, and hides them from the list of all tools. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool =>
  tool as unknown as Tool;

/** The members that every `structuredContent` has. */
export const provenance = z.object({
  source: z.string(),
  asOf: instant,
  remainingCalls: z.int(),
});

/** Members that only the results of prices can have. */
export const priceProvenance = {
  currency: z.string().optional(),
  gaps: z.array(z.string()).optional(),
  note: z.string().optional(),
};
