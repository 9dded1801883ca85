import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span, type SpanContext, SpanStatusCode } from '@opentelemetry/api';
import { Problem, type ProblemCode } from './problems.ts';

/** The only attributes of spans: patterns, names from fixed lists, and counts. Other text may contain a secret. */
export type TraceAttributes = {
  'http.request.method'?: string;
  /** The route's pattern. `url.path` has the same value, because a real path may contain a key. */
  'http.route'?: string;
  'url.path'?: string;
  'http.response.status_code'?: number;
  'http.request.resend_count'?: number;
  /** A problem's code, the cause of an upstream failure, or an error class. */
  'error.type'?: string;
  'quotient.problem'?: ProblemCode;
  /** The service's configured host or the upstream's, without secret labels; never a host from a request. */
  'server.address'?: string;
  'url.scheme'?: string;
  /** The name of the called MCP tool. */
  'gen_ai.tool.name'?: string;
  /** The upstream's name in metrics. */
  'quotient.source'?: string;
  'quotient.resource'?: string;
  /** Whether this process received the claim. */
  'quotient.claimed'?: boolean;
  'quotient.leases'?: number;
  'quotient.message'?: string;
  'quotient.attempts'?: number;
};

/** The allowed part of a span. Excludes events, links, exceptions and messages, whose text may be a secret. */
export type TraceSpan = Pick<Span, 'updateName' | 'spanContext' | 'end'> & {
  setAttributes(attributes: TraceAttributes): unknown;
  setStatus(status: { code: SpanStatusCode }): unknown;
};

type TraceKind = 'server' | 'client' | 'internal';

export type Tracer = {
  /** Decides whether a new trace, or a trace that another service started, is sampled. */
  isSampled(parent?: SpanContext): boolean;
  /** If there is no parent, the span starts a trace. `at` is in ms of the monotonic clock. The default is now. */
  start(name: string, kind: TraceKind, attributes: TraceAttributes, parent?: SpanContext, at?: number): TraceSpan;
};

/** Undefined if traces are not exported. Each function below then costs one comparison. */
let tracer: Tracer | undefined;
/** The current span, or null in a trace that is not sampled. */
const active = new AsyncLocalStorage<TraceSpan | null | undefined>();

export const currentTracer = (): Tracer | undefined => tracer;
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

export const activeSpan = (): TraceSpan | null | undefined => active.getStore();

export function annotate(attributes: TraceAttributes): void {
  if (tracer !== undefined) active.getStore()?.setAttributes(attributes);
}

/** Runs a function within a span. Null means a trace that is not sampled. */
export function runInSpan<Args extends unknown[], T>(
  span: TraceSpan | null,
  work: (...args: Args) => T,
  ...args: Args
): T {
  return active.run(span, work, ...args);
}

export function markFailed(span: TraceSpan, type?: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (type !== undefined) span.setAttributes({ 'error.type': type });
}

function typeOf(error: unknown): string {
  if (error instanceof Problem) return error.code;
  const { name = 'unknown', reason }: { name?: unknown; reason?: unknown } = Object(error);
  return String(name === 'UpstreamFailure' ? reason : name);
}

async function record<T>(span: TraceSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    markFailed(span, typeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Records work as a child of the current span. If there is no current span, the work starts a trace. */
export function traced<T>(
  name: string,
  attributes: TraceAttributes,
  work: () => Promise<T>,
  kind: TraceKind = 'internal',
): Promise<T> {
  if (tracer === undefined) return work();
  const parent = active.getStore();
  if (parent === null) return work();
  if (parent === undefined && !tracer.isSampled()) return active.run(null, work);
  const span = tracer.start(name, kind, attributes, parent?.spanContext());
  return active.run(span, record<T>, span, work);
}

/** Like `traced`, but always starts a new trace, because the current request may not be the cause of the work. */
export function tracedApart<T>(name: string, attributes: TraceAttributes, work: () => Promise<T>): Promise<T> {
  return tracer === undefined ? work() : active.run(undefined, () => traced(name, attributes, work));
}
