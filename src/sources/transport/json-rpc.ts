import { z } from 'zod';
import type { FailureCause } from '#domain/upstream/failure';
import { createJsonReader, type ToldError } from './json-answer.ts';
import type { UpstreamAnswer } from './upstream.ts';

const errorAnswer = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) });

/** As the specification divides the codes; 429 is what public nodes write when they are asked too often. */
function causeOf(code: number): FailureCause {
  if (code === 429) return 'rate_limited';
  const isInternal = code === -32603;
  const isOfTheServer = code >= -32099 && code <= -32000; // of these -32005: the node is behind the others
  return isInternal || isOfTheServer ? 'server_error' : 'refused';
}

/** An error comes under HTTP 200 as often as not. */
function errorIn(body: unknown): ToldError | undefined {
  const { data } = errorAnswer.safeParse(body);
  if (!data) return undefined;
  const { code, message } = data.error;
  return { message: `${code} ${message ?? ''}`.trim(), cause: causeOf(code) };
}

/** JSON-RPC 2.0 (jsonrpc.org/specification): what one upstream is asked, and how its answers are read. */
export function createJsonRpc(upstream: string) {
  const read = createJsonReader(upstream, errorIn);
  return {
    body: (method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params }),

    /** The result of an answer; throws `UpstreamFailure`, also for an answer to another question. */
    result: <T>(schema: z.ZodType<T>, answer: UpstreamAnswer, now: number): T =>
      read(z.object({ id: z.literal(1), result: schema }), answer, now).result,
  };
}
