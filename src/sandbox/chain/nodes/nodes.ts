import type { Clock } from '#domain/clock';
import { createChain } from '#sandbox/chain/chain';
import { createCosmosNode } from './cosmos-node.ts';
import type { SdkVersion } from './cosmos-search.ts';
import { createLegacyNode } from './legacy-node.ts';

/** `sdk` (0.50) and `pageSize` (100) configure the modern node; a block is made every `blockMs` (six seconds). */
export type NodeOptions = { sdk?: SdkVersion; pageSize?: number; blockMs?: number };

/** One chain, and a node of each dialect. */
export function createNodes({
  sdk = '0.50',
  pageSize = 100,
  ...ofChain
}: { seed: number; clock: Clock } & NodeOptions) {
  const chain = createChain(ofChain);
  return {
    legacy: createLegacyNode(chain),
    cosmos: createCosmosNode(chain, { version: sdk, pageSize }),
    /** For tests and the demo. */
    chain: {
      chainId: chain.chainId,
      denom: chain.denom,
      /** The accounts with coins from the start. Their private keys are no secret. */
      accounts: chain.accounts,
      fund: chain.fund,
      height: (): number => chain.latest().height,
    },
  };
}
