import { afterEach } from 'vitest';
import { systemClock } from '#core/clock';
import type { NodeDialect } from '#cosmos/dialects/adapter';
import { createNode } from '#node/node';
import { createNodePool } from '#node/pool';
import { openNode } from '#node/source';
import { startTestNode, type TestNode } from '../support/upstream/test-node.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A node that is closed at the end of the test. */
export async function testNode(options?: Parameters<typeof startTestNode>[0]): Promise<TestNode> {
  const node = await startTestNode(options);
  closing.push(node.close);
  return node;
}

type Options = {
  dialect?: NodeDialect | 'auto';
  chainId?: string;
  timeoutMs?: number;
  clock?: typeof systemClock;
};

/** The node service with these nodes, in this order. */
export function serviceOver(
  nodes: readonly (TestNode | string)[],
  { dialect = 'auto', chainId, timeoutMs = 5000, clock = systemClock }: Options = {},
) {
  const sources = nodes.map((node) => {
    const url = typeof node === 'string' ? node : node.url;
    return openNode({ url, timeoutMs, clock, observe: () => {} });
  });
  const lines: object[] = [];
  const note = (facts: object, message: string) => void lines.push({ ...facts, message });
  const log = { debug: note, info: note, warn: note, error: note };
  const failures = {
    failed: (work: string, error: unknown) => void lines.push({ work, message: String(error) }),
  };
  const pool = createNodePool({ sources, dialect, chainId, timeoutMs, clock, log, failures });
  closing.push(() => Promise.all(sources.map((source) => source.close())));
  return { ...createNode({ pool, timeoutMs, clock }), lines };
}

/** The time within which a hanging node must be reported, in ms. */
export const SHORT = 800;
export const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
export const HASH = 'AB'.repeat(32);
export const TX_BYTES = Buffer.from('a signed transaction').toString('base64');
/** For a source that receives only calls of the service itself. */
export const notPassed = () => Promise.reject(new Error('the test passes no call on'));
