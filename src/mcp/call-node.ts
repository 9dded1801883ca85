import type { Nodes } from '#node/open';
import type { Caller } from './tool.ts';

/** Calls the node within the user's limit of concurrent calls, which the node's routes share. */
export const createCallNode =
  ({ node, begin }: Pick<Nodes, 'node' | 'begin'>) =>
  async <Value>({ user }: Pick<Caller, 'user'>, call: (from: Nodes['node']) => Promise<Value>): Promise<Value> => {
    const end = begin(user);
    try {
      return await call(node);
    } finally {
      end();
    }
  };

export type CallNode = ReturnType<typeof createCallNode>;
