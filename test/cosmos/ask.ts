import type { NodeReply, NodeRequest, SendToNode } from '#cosmos/exchange';

/** A node that responds by path, or in turn, and records its requests. */
export function scriptedNode(answers: Record<string, unknown> | readonly (NodeReply | object)[]) {
  const asked: NodeRequest[] = [];
  const turns = Array.isArray(answers) ? [...answers] : undefined;
  const ask: SendToNode = async (request) => {
    asked.push(request);
    const answer = turns ? turns.shift() : (answers as Record<string, unknown>)[request.path];
    if (answer === undefined) return { status: 501, body: { code: 12, message: 'Not Implemented', details: [] } };
    if (typeof answer === 'object' && answer !== null && 'status' in answer) return answer as NodeReply;
    return { status: 200, body: answer };
  };
  return { ask, asked };
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
