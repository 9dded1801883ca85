import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { toError } from '#core/errors';
import { isMembers } from '#cosmos/parsers';
import type { CallPlaces } from '#node/call-places';
import { callerOf, NODE_FACTS, operation, type PassScope, readRawBodies } from '#node/node-routes';
import { parseJson } from '#server/json-body';
import { nameCall } from '#server/request-trace';
import { toProblem } from '#server/responses/problem-responses';
import type { Rpc } from './rpc.ts';
import { answerBatch, assertBatch, createBatchLimit, MAX_BATCH } from './rpc-batch.ts';
import { idOf, nameOfMethod, type RpcCall, readRpcCall, readUriCall } from './rpc-call.ts';
import { faultOf, isOfRequest, RPC, RPC_ERRORS, RpcFault, type RpcId, rpcError } from './rpc-error.ts';
import { RPC_METHODS } from './rpc-methods.ts';

const response = {
  200: z.unknown().meta({
    description: 'A JSON-RPC response, or a list of responses',
    examples: [{ jsonrpc: '2.0', id: 1, result: {} }],
  }),
};

const DESCRIPTION =
  `Passes JSON-RPC calls to a node's CometBFT interface: a call, or a batch of up to ${MAX_BATCH}, each of which counts toward the ` +
  'burst limit. Allowed methods: ' +
  `${Object.keys(RPC_METHODS)
    .map((name) => `\`${name}\``)
    .join(', ')}. A rejected call is 200 with a JSON-RPC error. ` +
  'Broadcasts are sent once, like `POST /v1/node/txs`. An empty body returns the list of methods.';

const schema = {
  ...operation('callRpc', "Call a node's JSON-RPC interface", DESCRIPTION),
  consumes: ['application/json'],
  body: z.unknown().meta({
    description: 'A JSON-RPC request, or a list of requests',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'status', params: {} }],
  }),
  response,
};
const uriSchema = {
  ...operation(
    'callRpcMethod',
    "Call one method of a node's JSON-RPC interface",
    'The URI form of CometBFT: parameters are in the query, texts in quotes, bytes as `0x` and hex digits. It has no broadcasts. The `id` of the response is -1.',
  ),
  params: z.object({
    method: z.string().meta({ description: 'The method', wire: { type: 'string', examples: ['status'] } }),
  }),
  response,
};
const config = { ...NODE_FACTS, passesCalls: true, errors: RPC_ERRORS } as const;

/** The response to an empty body, with which some clients test the URL. */
const METHODS = JSON.stringify({ jsonrpc: '2.0', id: -1, result: { methods: Object.keys(RPC_METHODS) } });
const URI_ID = -1;

const validatorCompiler = () => (body: unknown) => ({ value: body });

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new RpcFault(RPC.parse, `Parse error: ${toError(error).message}`);
  }
}

const send = (reply: FastifyReply, body: string): FastifyReply =>
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json' }).send(body);

/** The error of one call. Throws problems that concern the request as a whole. */
function rejection(
  { report }: Pick<PassScope, 'report'>,
  request: FastifyRequest,
  reply: FastifyReply,
  id: RpcId,
  error: unknown,
): string {
  if (error instanceof RpcFault) return rpcError(id, error);
  const problem = toProblem(error);
  if (isOfRequest(problem)) throw problem;
  return rpcError(id, faultOf(report(request, reply, error)));
}

type CountCalls = (request: FastifyRequest, calls: number) => Promise<void>;
type Options = PassScope & { rpc: Rpc; places: CallPlaces; countCalls: CountCalls };

export const rpcPassThrough: FastifyPluginAsyncZod<Options> = async (
  app,
  { rpc, places, countCalls, call, ...scope },
) => {
  const { report, sendBytes } = scope;
  const beginBatch = createBatchLimit();
  const name = (request: FastifyRequest, method: string) => nameCall(request, `${app.prefix}/rpc/${method}`);
  readRawBodies(app, scope);

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof RpcFault) return send(reply, rpcError(null, error));
    const problem = report(request, reply, error);
    reply.code(isOfRequest(problem) ? problem.status : 200).headers(problem.headers);
    return send(reply, rpcError(null, faultOf(problem)));
  });

  async function single(
    request: FastifyRequest,
    reply: FastifyReply,
    id: RpcId,
    read: () => RpcCall,
  ): Promise<FastifyReply> {
    try {
      const found = read();
      return sendBytes(request, reply, 200, await call(request, reply, (by) => rpc.call(found, by)));
    } catch (error) {
      return send(reply, rejection(scope, request, reply, id, error));
    }
  }

  async function batch(
    request: FastifyRequest,
    reply: FastifyReply,
    elements: readonly unknown[],
  ): Promise<FastifyReply> {
    assertBatch(elements);
    // The gate has counted the first one.
    await countCalls(request, elements.length - 1);
    const by = callerOf(request, reply, beginBatch(request.user));
    const answers = await answerBatch(elements, {
      enter: () => places.wait(by.user, by.signal),
      call: (found) => rpc.call(found, by),
      reject: (id, error) => rpcError(id, error instanceof RpcFault ? error : faultOf(report(request, reply, error))),
    });
    return sendBytes(request, reply, 200, answers);
  }

  async function post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const text = Buffer.isBuffer(request.body) ? request.body.toString() : '';
    if (text.trim() === '') return send(reply, METHODS);
    const body = parsed(text);
    if (!Array.isArray(body)) {
      const id = idOf(body);
      name(request, nameOfMethod(isMembers(body) ? body.method : undefined));
      // Nodes neither execute nor answer notifications.
      return id === undefined ? send(reply, '') : single(request, reply, id, () => readRpcCall(body));
    }
    const methods = new Set(body.map((element) => nameOfMethod(element?.method)));
    const [method = 'other'] = methods;
    name(request, methods.size === 1 ? method : 'batch');
    return batch(request, reply, body);
  }

  // Clients send their base URL as it is, even with a slash at the end.
  for (const url of ['/rpc', '/rpc/'])
    app.post(url, { schema: { ...schema, hide: url !== '/rpc' }, config, validatorCompiler }, post);

  app.get('/rpc/:method', { schema: uriSchema, config, exposeHeadRoute: false }, (request, reply) => {
    const { method } = request.params;
    name(request, nameOfMethod(method));
    if (method === 'websocket') (reply as FastifyReply).code(404);
    const at = request.url.indexOf('?');
    const search = new URLSearchParams(at < 0 ? '' : request.url.slice(at));
    return single(request, reply, URI_ID, () => readUriCall(method, search));
  });
};
