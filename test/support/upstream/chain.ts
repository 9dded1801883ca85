import { startSandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { base64, keyOf, type Order, signedStdTx, signedTxRaw } from '../../../fixtures/signing.ts';

type Members = Record<string, unknown>;
// The body's shape is not known here; a test checks the members that it expects.
// biome-ignore lint/suspicious/noExplicitAny: the test states the shape
export type NodeResponse = { status: number; body: any };

/** The sandbox's chain on a stopped clock, and calls to its two nodes. */
export async function openChain(node: NonNullable<Parameters<typeof startSandbox>[0]>['node'] = {}) {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  const sandbox = await startSandbox({ clock, node });
  const [alice, bob] = sandbox.chain.accounts.map(({ address }) => address) as [string, string];

  async function call(url: string, body?: unknown): Promise<NodeResponse> {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(url, sent);
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }
  const legacy = (path: string, body?: unknown) => call(sandbox.legacyNodeUrl + path, body);
  const cosmos = (path: string, body?: unknown) => call(sandbox.cosmosNodeUrl + path, body);

  const order = (changes: Partial<Order> = {}): Order => ({
    to: bob,
    accountNumber: 0,
    sequence: 0,
    ...changes,
  });

  return {
    sandbox,
    clock,
    alice,
    bob,
    legacy,
    cosmos,
    /** Advances the clock by a number of blocks. */
    pass: (blocks = 1) => clock.advance(blocks * 6_000),
    stdTx: (changes?: Partial<Order>, place = 0) => signedStdTx(keyOf(sandbox, place), order(changes)),
    txRaw: (changes?: Partial<Order>, place = 0) => signedTxRaw(keyOf(sandbox, place), order(changes)),
    postAmino: (tx: unknown, mode = 'sync') => legacy('/txs', { tx, mode }),
    async postDirect(bytes: Uint8Array, mode = 'SYNC'): Promise<{ status: number; body: Members }> {
      const body = { tx_bytes: base64(bytes), mode: `BROADCAST_MODE_${mode}` };
      const response = await cosmos('/cosmos/tx/v1beta1/txs', body);
      return { status: response.status, body: response.body.tx_response ?? response.body };
    },
    close: sandbox.close,
  };
}

export type TestChain = Awaited<ReturnType<typeof openChain>>;
