import type { NodeReply, NodeRequest, SendToNode } from '#cosmos/exchange';

/** A node that responds by path, or in the given order, and records its requests. */
export function scriptedNode(responses: Record<string, unknown> | readonly (NodeReply | object)[]) {
  const requests: NodeRequest[] = [];
  const queue = Array.isArray(responses) ? [...responses] : undefined;
  const send: SendToNode = async (request) => {
    requests.push(request);
    const response = queue ? queue.shift() : (responses as Record<string, unknown>)[request.path];
    if (response === undefined) return { status: 501, body: { code: 12, message: 'Not Implemented', details: [] } };
    if (typeof response === 'object' && response !== null && 'status' in response) return response as NodeReply;
    return { status: 200, body: response };
  };
  return { send, requests };
}

export const MODERN = {
  latest: '/cosmos/base/tendermint/v1beta1/blocks/latest',
  txs: '/cosmos/tx/v1beta1/txs',
  balances: '/cosmos/bank/v1beta1/balances',
} as const;

export const latestBlock = (height: number) => ({
  block_id: {},
  block: { header: { height: String(height) } },
});
