import type { Clock } from '#core/clock';
import { nodeStateOf } from '#cosmos/dialects/node-errors';
import { type RpcCalls, rpcMessageOf } from '#cosmos/dialects/rpc';
import { NodeFault } from '#cosmos/exchange';
import { isMembers, parseJson } from '#cosmos/parsers';
import { createBroadcasting } from '#node/broadcast';
import type { NodeCaller, NodePool } from '#node/pool';
import { nodeProblem } from '#node/problem';
import type { PassedReply } from '#node/source';
import type { RpcCall } from './rpc-call.ts';

/** An error, or a failed query. Both are at the start of a response, after the ID. */
const MAY_FAIL = /"error"\s*:|"code"\s*:\s*[1-9]/;
const HEAD = 512;
/** Longer responses are not errors. */
const MAX_ERROR = 64 * 1024;

/** The response that the client receives. Throws `NodeFault` if another node must be tried. */
function rpcReply({ status, bytes, body }: PassedReply, { id, isHeightChosen }: RpcCall): Buffer {
  if (status < 400 && (bytes.length > MAX_ERROR || !MAY_FAIL.test(bytes.toString('latin1', 0, HEAD)))) return bytes;
  const response = status < 400 ? parseJson(bytes.toString()) : body;
  const { error, result } = isMembers(response) ? response : {};
  if (error === undefined && result === undefined)
    throw new NodeFault('malformed', `status ${status} without a result`);
  const { response: queried } = isMembers(result) ? result : {};
  const message = error === undefined ? String(isMembers(queried) ? queried.log : '') : rpcMessageOf(error);
  const state = nodeStateOf(message);
  if (state !== undefined && !(state === 'height' && isHeightChosen))
    throw new NodeFault(state === 'height' ? 'unavailable' : state, message);
  // A proxy in front of the node does not know the ID.
  const isOwn = error === undefined || (isMembers(response) && response.id === id);
  return isOwn ? bytes : Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

type Dependencies = { pool: NodePool<RpcCalls>; timeoutMs: number; clock: Clock };

/** Passes JSON-RPC calls to the nodes, one at a time: nodes limit the number of calls in a batch. */
export function createRpc({ pool, timeoutMs, clock }: Dependencies) {
  const lookUp = (hash: string, until: number) => pool.read((calls) => calls.transaction(hash), { until });
  const broadcasting = createBroadcasting({ pool, lookUp, timeoutMs, clock });

  async function broadcast({ id, params, broadcast: mode = 'sync' }: RpcCall, by: NodeCaller): Promise<Buffer> {
    const sent = await broadcasting.broadcast({ tx_bytes: params.tx as string, mode }, by);
    const { code = 0, data = '', raw_log: log = '', codespace = '', txhash: hash } = sent;
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { code, data, log, codespace, hash } }));
  }

  function read(call: RpcCall, by: NodeCaller): Promise<Buffer> {
    const { id, method, params, isSearch } = call;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const request = { path: '', search: '', body, isSearch, circuit: method };
    return pool.pass(request, (reply) => rpcReply(reply, call), by);
  }

  return {
    /** The response as JSON. Throws problems, or the reason of the signal. */
    call: (call: RpcCall, by: NodeCaller): Promise<Buffer> =>
      (call.broadcast ? broadcast(call, by) : read(call, by)).catch((error) => {
        throw nodeProblem(error);
      }),

    warnings: pool.warnings,
  };
}

export type Rpc = ReturnType<typeof createRpc>;
