import { latestOf } from '#core/clock';
import type { Capability, CapabilityDeps } from '#server/capability';
import { createBreaker } from '#upstream/circuit-breaker';
import { type Component, sourcedComponent } from '#upstream/component';
import { createNode } from './node.ts';
import { createNodePool } from './pool.ts';
import { createCallLimit, nodeProxy } from './routes.ts';
import { accountsAndBlocks } from './routes-accounts-and-blocks.ts';
import { transactions } from './routes-transactions.ts';
import type { NodeSettings } from './settings.ts';
import { openNode } from './source.ts';

export function openNodes({ settings, observe, clock, log, failures, outcomes }: CapabilityDeps<NodeSettings>) {
  const { node: from, upstreamTimeoutMs: timeoutMs } = settings;
  // Nodes are named by position, because a URL may contain a secret.
  const nodes = from.urls.map((url, index) => {
    const [upstream, breaker] = [`node-${index + 1}`, createBreaker()];
    const source = openNode({ name: upstream, url, timeoutMs, clock, observe: observe(upstream), breaker });
    return { ...source, upstream, breaker };
  });
  const { dialect, chainId } = from;
  const pool = createNodePool({ sources: nodes, dialect, chainId, timeoutMs, clock, log, failures });
  const node = createNode({ pool, timeoutMs, clock });
  const begin = createCallLimit();

  function component(): Component {
    const about = { name: 'node', title: 'Node' };
    if (nodes.length === 0) return { ...about, state: 'not_configured', dataAt: null };
    const sources = nodes.map(({ upstream }) => upstream);
    return sourcedComponent({
      ...about,
      dataAt: latestOf(sources.map((source) => outcomes.latest(source).succeededAt)),
      sources,
      latest: outcomes.latest,
      // No response of a node is stored.
      usefulFor: 0,
      reasons: { some: 'node_failing', all: 'all_nodes_failing' },
      clock,
    });
  }

  return {
    node,
    /** Counts a user's call as running until the returned function is called. Throws `overloaded`. */
    begin,
    isConfigured: nodes.length > 0,

    routes: async (app, { bodies }) => {
      const scope = { prefix: '/node', node, explorer: from.explorer, call: nodeProxy(app, bodies, begin) };
      app.register(accountsAndBlocks, scope);
      app.register(transactions, scope);
    },

    warnings: node.warnings,
    components: () => [component()],

    readings: {
      upstreams: () => nodes.map(({ upstream, breaker }) => ({ upstream, breaker: breaker.state(clock.elapsed()) })),
    },

    async close(): Promise<void> {
      for (const node of nodes) await node.close();
    },
  } satisfies Capability & Record<string, unknown>;
}

export type Nodes = ReturnType<typeof openNodes>;
