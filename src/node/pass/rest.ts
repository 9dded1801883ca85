import type { NodeCalls } from '#cosmos/dialects/adapter';
import type { BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { isInBlock } from '#cosmos/transactions';
import type { Node } from '#node/node';
import type { NodeCaller, NodePool } from '#node/pool';
import { nodeProblem } from '#node/problem';
import type { PassedReply } from '#node/source';
import type { RestCall } from './rest-path.ts';
import { PassedRejection, restReply } from './rest-reply.ts';

const TXS = '/cosmos/tx/v1beta1/txs';

/** The members of a gateway's response to a broadcast. The legacy shape omits the empty ones. */
const EMPTY = {
  height: '0',
  txhash: '',
  codespace: '',
  code: 0,
  data: '',
  raw_log: '',
  logs: [],
  info: '',
  gas_wanted: '0',
  gas_used: '0',
  tx: null,
  timestamp: '',
  events: [],
};

/** `height` is the block height that the client has chosen in a header. */
export type RestRequest = { call: RestCall; height?: string | undefined; body?: Buffer | undefined };

/** Passes requests to the nodes' REST interface. */
export function createRest(pool: NodePool<NodeCalls>, node: Pick<Node, 'broadcast'>) {
  /** Throws problems, or the reason of the signal. */
  async function pass({ call, height, body }: RestRequest, by: NodeCaller): Promise<PassedReply> {
    const { path, search, name, isSearch, isHeightChosen } = call;
    const request = {
      ...{ path, search, isSearch, circuit: name },
      ...(height !== undefined && { headers: { 'x-cosmos-block-height': height } }),
      ...(body !== undefined && { body }),
    };
    const isChosen = isHeightChosen || height !== undefined;
    return pool
      .pass(request, (reply) => restReply(reply, isChosen), by)
      .catch((error) => {
        if (error instanceof PassedRejection) return error.reply;
        throw nodeProblem(error);
      });
  }

  const record = (sent: LegacyTransaction): PassedReply => ({
    status: 200,
    headers: {},
    bytes: Buffer.from(JSON.stringify({ tx_response: { ...EMPTY, ...sent } })),
  });

  return {
    pass,

    /** Sends a transaction once. A transaction that is in a block is returned as the node reports it. */
    async broadcast(call: RestCall, signed: BroadcastRequest, by: NodeCaller): Promise<PassedReply> {
      const sent = await node.broadcast(signed, by);
      if (!isInBlock(sent)) return record(sent);
      const found = await pass({ call: { ...call, path: `${TXS}/${sent.txhash}`, search: '' } }, by);
      return found.status === 200 ? found : record(sent);
    },
  };
}

export type Rest = ReturnType<typeof createRest>;
