import { toBase64 } from '../conversion/protobuf.ts';
import { NodeFault, NodeRejection, type SendToNode } from '../exchange.ts';
import type { LegacyTransaction } from '../legacy-shapes.ts';
import { count, isMembers, type Members, malformed, members, text } from '../parsers.ts';
import { isTransactionHash } from '../transactions.ts';
import { nodeStateOf } from './node-errors.ts';
import type { NodeCalls } from './replies.ts';

/** The part of CometBFT's version by which a client chooses its decoder: `0.38` for 0.38.12, `1` for 1.0.1. */
const MAJOR = /^v?(0\.\d{1,4}|[1-9]\d{0,3})/;

/** The message of a JSON-RPC error. Nodes put the reason in `data`. */
export function rpcMessageOf(error: unknown): string {
  const { message, data } = isMembers(error) ? error : {};
  return [message, data].filter((one) => typeof one === 'string' && one !== '').join(': ');
}

function errorOf(error: unknown): NodeFault | NodeRejection {
  const message = rpcMessageOf(error);
  const state = nodeStateOf(message);
  if (state !== undefined) return new NodeFault(state === 'height' ? 'unavailable' : state, message);
  return new NodeRejection(/not found/i.test(message) ? 404 : 400, message);
}

const bytesOfHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** The outcome of a transaction in the legacy shape. CometBFT reports the same members for a broadcast and a block. */
function outcomeOf(value: unknown, height: string, hash: unknown): LegacyTransaction {
  const { code, log, codespace, data } = members(value, 'result');
  if (typeof hash !== 'string' || !isTransactionHash(hash)) throw malformed('hash');
  const failed = Number(count(code, 'code'));
  return {
    height,
    txhash: hash.toUpperCase(),
    ...(failed !== 0 && { code: failed }),
    raw_log: typeof log === 'string' ? log : '',
    codespace: typeof codespace === 'string' ? codespace : '',
    ...(typeof data === 'string' && { data }),
  };
}

export type RpcCalls = Pick<NodeCalls, 'head' | 'transaction' | 'prepare' | 'broadcast'>;

/** The calls to CometBFT's JSON-RPC interface that the service makes itself. */
export function createRpcAdapter(send: SendToNode): RpcCalls {
  async function call(method: string, params: object): Promise<Members> {
    const { body } = await send({
      method: 'POST',
      path: '',
      query: [],
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
    const { result, error } = members(body, 'JSON-RPC response');
    if (isMembers(error)) throw errorOf(error);
    return members(result, 'result');
  }

  return {
    async head() {
      const { node_info, sync_info } = await call('status', {});
      const { network, version } = members(node_info, 'node_info');
      const height = Number(count(members(sync_info, 'sync_info').latest_block_height, 'height'));
      const major = typeof version === 'string' ? MAJOR.exec(version)?.[1] : undefined;
      return { height, chainId: text(network, 'network'), version: major };
    },

    async transaction(hash) {
      const found = await call('tx', { hash: toBase64(bytesOfHex(hash)), prove: false });
      return outcomeOf(found.tx_result, count(found.height, 'height'), found.hash);
    },

    async prepare(request) {
      if (request.tx_bytes === undefined)
        throw new NodeRejection(422, 'JSON-RPC accepts only the bytes of a transaction');
      return request;
    },

    async broadcast({ tx_bytes, mode }) {
      const result = await call(mode === 'async' ? 'broadcast_tx_async' : 'broadcast_tx_sync', { tx: tx_bytes });
      return outcomeOf(result, '0', result.hash);
    },
  };
}
