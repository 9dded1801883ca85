import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { maskApiKeys } from '#core/log';
import { Problem } from '#core/problems';
import type { OpenGate } from '#gate/open-gate';
import { inputSchema, outputSchema } from '#mcp/protocol/json-schema';
import type { Exchange, LegacyResponse } from '#mcp/protocol/protocol';
import { readMessage } from '#mcp/protocol/read-message';
import { createMessageServer } from '#mcp/protocol/serve-message';
import type { EnterWindow } from '#prices/history/history-routes';
import { disconnectionOf } from '#server/connections/disconnection';
import type { RequestBodies } from '#server/connections/request-body';
import { mediaTypeOf } from '#server/connections/unread-body';
import { readJsonBodies } from '#server/json-body';
import { acceptedCoding } from '#server/responses/negotiation';
import type { ReportProblem } from '#server/responses/problem-responses';
import { bodyOf, bytesOf } from '#server/responses/response-body';
import { withVary } from '#server/responses/static-content';
import type { CountCall } from './mcp-metrics.ts';
import { createToolRunner, type EnsureTokens, type FindSuccessors } from './run-tool.ts';
import { type Caller, provenance, type Tool } from './tool.ts';

/** The maximum size of a message, in bytes. A call with a hundred tokens takes 6 KB. */
const MAX_MESSAGE_BYTES = 32 * 1024;
/** An agent calls several tools at once. The messages are small, so more of them may be in progress than other bodies. */
const MESSAGES_AT_ONCE = 64;

const id = z.union([z.string(), z.number()]).optional();
const message = z
  .looseObject({
    jsonrpc: z.literal('2.0', 'must be 2.0').meta({ fix: 'the text 2.0' }),
    method: z
      .string()
      .meta({ description: 'The method', fix: 'a method such as tools/call', examples: ['tools/list'] }),
    id: id.meta({
      description: 'The ID of the request; omitted in a notification',
      fix: 'a string or a number',
      examples: [1],
    }),
    params: z
      .looseObject({})
      .optional()
      .meta({ description: 'The parameters of the method', fix: 'an object', examples: [{}] }),
  })
  .refine(({ id, method }) => id !== undefined || method.startsWith('notifications/'), {
    path: ['id'],
    message: 'is missing',
    params: { fix: 'a string or a number. Only a notification has no ID' },
  });

const response = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).meta({ description: 'The ID of the request', examples: [1] }),
    result: z
      .looseObject({})
      .optional()
      .meta({ description: 'The result of the method', examples: [{ tools: [] }] }),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional().meta({ description: 'The error, if any' }),
  })
  .meta({ description: 'A JSON-RPC response' });

const schema = {
  tags: ['mcp'],
  summary: 'Call a tool with the Model Context Protocol',
  description:
    'An MCP server over streamable HTTP for AI agents, without sessions. It serves the current revision of the protocol ' +
    'and those of 2025. Each request contains one JSON-RPC message; batches are rejected. `tools/list` is free and lists ' +
    'the tools that the scopes of the key allow. `tools/call` costs as much as the same request to the other endpoints. ' +
    'A refused call is a result with `isError`, and is free.',
  operationId: 'callMcp',
  consumes: ['application/json'],
  body: message,
  response: { 200: response, 202: z.undefined().meta({ description: 'A notification was accepted' }) },
};

const config = {
  cost: 0,
  scope: 'any',
  ownOrigin: true,
  price: 'as the endpoint that provides the data',
  problems: ['cross_site', 'key_not_for_urls', 'unsupported_media_type'],
} as const;

async function send(request: FastifyRequest, reply: FastifyReply, answer: LegacyResponse): Promise<FastifyReply> {
  reply.code(answer.status).header('cache-control', 'no-store');
  if (answer.text === '') return reply.send();
  const text = maskApiKeys(answer.text);
  reply.headers({ 'content-type': 'application/json; charset=utf-8', vary: withVary(reply, 'Accept-Encoding') });
  const accepted = acceptedCoding(request.headers['accept-encoding']);
  if (accepted === 'identity') return reply.send(text);
  const { coding, payload } = await bodyOf(text).in(accepted);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.send(bytesOf(payload));
}

type Options = {
  bodies: RequestBodies;
  report: ReportProblem;
  accounts: Pick<OpenGate, 'allowance' | 'gate'>;
  tools: readonly Tool[];
  enterWindow: EnterWindow;
  count: CountCall;
  findSuccessors: FindSuccessors;
  ensureTokens: EnsureTokens;
};

export const mcp: FastifyPluginAsyncZod<Options> = async (
  app,
  { bodies, report, accounts, tools, enterWindow, count, findSuccessors, ensureTokens },
) => {
  const { allowance, gate } = accounts;
  readJsonBodies(app, bodies, {
    limit: MAX_MESSAGE_BYTES,
    callerOf: ({ user }) => `mcp ${user}`,
    atOnce: MESSAGES_AT_ONCE,
  });
  const runTool = createToolRunner(count, findSuccessors, ensureTokens);
  const messages = createMessageServer();
  app.addHook('onClose', messages.close);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = tools.map(({ name, title, description, scope, input, output }) => ({
    scope,
    entry: {
      name,
      title,
      description,
      inputSchema: inputSchema(input),
      outputSchema: outputSchema(output.extend(provenance.shape)),
      annotations: { readOnlyHint: true },
    },
  }));

  const callerOf = (request: FastifyRequest, reply: FastifyReply): Caller => ({
    requestId: request.id,
    user: request.user,
    hasScope: (scope) => gate.hasScope(request, scope),
    requireScope: (scope) => gate.requireScope(request, scope),
    charge: (calls) => gate.charge(request, calls),
    countNodeRequest: () => gate.countNodeRequest(request),
    refund: () => gate.refund(request),
    turn: (size) => enterWindow(request.user, reply.raw, size),
    remaining: () => gate.remaining(request),
    usage: () => allowance.usage(request.caller),
    report: (error) => report(request, reply, error),
  });

  function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
    const caller = callerOf(request, reply);
    let gone: AbortSignal | undefined;
    const exchange = {
      caller,
      // A method, because V8 would keep each request with a getter of its own in memory until a full collection.
      signal: () => (gone ??= disconnectionOf(reply)),
      list: () => listed.filter(({ scope }) => caller.hasScope(scope)).map(({ entry }) => entry),
      call(name: string, input: Record<string, unknown>) {
        const tool = byName.get(name);
        return tool && runTool(tool, input, exchange);
      },
    };
    return exchange;
  }

  const preValidation: preValidationHookHandler = (request, _reply, done) => {
    readMessage(request.body);
    done();
  };

  // Some clients add a slash to the path.
  for (const path of ['/mcp', '/mcp/']) {
    const options = { schema: { ...schema, hide: path !== '/mcp' }, config, preValidation };
    app.post(path, options, async (request, reply) => {
      if (mediaTypeOf(request) !== 'application/json')
        throw new Problem('unsupported_media_type', 'Send the body as application/json.');
      const message = request.body as object;
      return send(request, reply, await messages.serve(request.headers, message, exchangeOf(request, reply)));
    });
  }
};
