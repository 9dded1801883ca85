import type { Clock } from '../../domain/clock.ts';
import { createChain } from './chain.ts';
import { createCosmosNode } from './cosmos-node.ts';
import type { SdkVersion } from './cosmos-search.ts';
import { createLegacyNode } from './legacy-node.ts';

/** `sdk` (0.50) and `pageSize` (100) are the modern node's; the chain makes a block every `blockMs` (six seconds). */
export type NodeOptions = { sdk?: SdkVersion; pageSize?: number; blockMs?: number };

/** One chain, and a node of either dialect before it. */
export function createNodes({
  sdk = '0.50',
  pageSize = 100,
  ...ofChain
}: { seed: number; clock: Clock } & NodeOptions) {
  const chain = createChain(ofChain);
  const nodes = {
    legacy: createLegacyNode(chain),
    cosmos: createCosmosNode(chain, { version: sdk, pageSize }),
  };
  return {
    legacy: nodes.legacy,
    cosmos: nodes.cosmos,
    /** What a test or a demo asks the chain itself. */
    chain: {
      chainId: chain.chainId,
      denom: chain.denom,
      /** Those with money from the start, with their private keys, which are no secret. */
      accounts: chain.accounts,
      fund: chain.fund,
      height: (): number => chain.latest().height,
      /** From now on the node of that dialect is so many blocks behind, in all it tells; 0 ends it. */
      lag: (dialect: 'legacy' | 'cosmos', blocks: number): void => nodes[dialect].lag(blocks),
    },
  };
}
