import { createBreaker } from '../domain/breaker.ts';
import { createNode } from '../services/node.ts';
import { createNodePool } from '../services/node-pool.ts';
import { openNode } from '../sources/node.ts';
import type { Ground } from './ground.ts';

/** Opens what the node proxy is made of: the nodes in their order, which of them to ask, the verbs. */
export function openNodes({ settings, observe, clock, log }: Omit<Ground, 'prisma' | 'refreshes'>) {
  const { node: from, upstreamTimeoutMs: timeoutMs } = settings;
  // Named by its place among the URLs: a URL may hold a secret.
  const nodes = from.urls.map((url, index) => {
    const [upstream, breaker] = [`node-${index + 1}`, createBreaker()];
    const source = openNode({ url, timeoutMs, clock, observe: observe(upstream), breaker });
    return { ...source, upstream, breaker };
  });
  const pool = createNodePool({ sources: nodes, dialect: from.dialect, timeoutMs, clock, log });

  return {
    node: createNode({ pool, timeoutMs, clock }),

    /** How each node stands. */
    readings: () =>
      nodes.map(({ upstream, breaker }) => ({ upstream, breaker: breaker.state(clock.elapsed()) })),

    async close(): Promise<void> {
      for (const node of nodes) await node.close();
    },
  };
}
