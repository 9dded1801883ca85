import type { Nodes } from '#node/open-node';
import type { NodeCaller } from '#node/pool';
import type { ToolCall } from './tool.ts';

/**
 * Calls the node within the user's limit of concurrent calls, which the node's routes share. A call whose client
 * disconnects is cancelled, and no longer counts.
 */
export const createCallNode =
  ({ node, begin }: Pick<Nodes, 'node' | 'begin'>) =>
  async <Value>(
    { caller, signal }: ToolCall,
    call: (from: Nodes['node'], by: NodeCaller) => Promise<Value>,
  ): Promise<Value> => {
    const end = begin(caller.user);
    try {
      return await call(node, { user: caller.user, signal });
    } finally {
      end();
    }
  };

export type CallNode = ReturnType<typeof createCallNode>;
