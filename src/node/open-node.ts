import { latestOf } from '#core/clock';
import type { Capability, CapabilityDeps } from '#server/capability';
import { type Component, sourcedComponent } from '#upstream/component';
import { createDropReporter } from '#upstream/items/items';
import { breakerReading } from '#upstream/upstream-metrics';
import { accountsAndBlocks } from './accounts-and-blocks-routes.ts';
import { createCallPlaces } from './call-places.ts';
import { createNode } from './node.ts';
import { convertResponses, createNodeCall } from './node-routes.ts';
import type { NodeSettings } from './node-settings.ts';
import { createRest } from './pass/rest.ts';
import { restPassThrough } from './pass/rest-routes.ts';
import { createRpc } from './pass/rpc.ts';
import { rpcPassThrough } from './pass/rpc-routes.ts';
import { createNodePool, createRpcPool, createUserNodes } from './pool.ts';
import { createNodeBreaker, openNode } from './source.ts';
import { transactions } from './transactions-routes.ts';

export function openNodes(deps: CapabilityDeps<NodeSettings>) {
  const { settings, observe, clock, log, failures, outcomes } = deps;
  const { node: from, upstreamTimeoutMs: timeoutMs } = settings;
  // Nodes are named by position, because a URL may contain a secret.
  const openAll = (urls: readonly string[], list: '' | 'rpc-') =>
    urls.map((url, index) => {
      const upstream = `node-${list}${index + 1}`;
      const breaker = createNodeBreaker();
      const source = openNode({ name: upstream, url, timeoutMs, clock, observe: observe(upstream), breaker });
      const dropped = createDropReporter(deps, upstream);
      const reportOmitted = (count: number) => dropped({ path: 'list', count, reasons: ['malformed'] });
      return { ...source, upstream, breaker, reportOmitted };
    });
  const { dialect, chainId, prefixes, maxBodyBytes } = from;
  const restNodes = openAll(from.urls, '');
  const rpcNodes = openAll(from.rpcUrls, 'rpc-');
  const nodes = [...restNodes, ...rpcNodes];
  const shared = { chainId, timeoutMs, clock, log, failures, userNodes: createUserNodes() };
  const pool = createNodePool({ ...shared, sources: restNodes, dialect });
  const rpcPool = createRpcPool({ ...shared, sources: rpcNodes });
  const node = createNode({ pool, timeoutMs, clock });
  const rest = createRest(pool, node);
  const rpc = createRpc({ pool: rpcPool, timeoutMs, clock });
  const places = createCallPlaces();

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
    begin: places.begin,
    isConfigured: restNodes.length > 0,

    routes: async (app, { bodies, gate, report, sendBytes }) => {
      const call = createNodeCall(places);
      app.register(async (converted) => {
        convertResponses(converted, bodies, maxBodyBytes);
        const scope = { prefix: '/node', node, explorer: from.explorer, call };
        converted.register(accountsAndBlocks, scope);
        converted.register(transactions, scope);
      });
      const passing = { prefix: '/node', bodies, report, sendBytes, maxBodyBytes, call };
      app.register(restPassThrough, { ...passing, rest, prefixes });
      app.register(rpcPassThrough, {
        ...{ ...passing, rpc, places },
        countCalls: (request, calls) => gate.countCalls(request, calls, clock.now()),
      });
    },

    warnings: () => [...node.warnings(), ...rpc.warnings()],
    components: () => [component()],

    readings: {
      upstreams: () =>
        nodes.map(({ upstream, breaker }) => ({ upstream, ...breakerReading(breaker, clock.elapsed()) })),
    },

    async close(): Promise<void> {
      for (const node of nodes) await node.close();
    },
  } satisfies Capability & Record<string, unknown>;
}

export type Nodes = ReturnType<typeof openNodes>;
