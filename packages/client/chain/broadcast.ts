import type { NodeCalls } from '../../cosmos/dialects/adapter.ts';
import { NodeFault } from '../../cosmos/exchange.ts';
import type { BroadcastMode, LegacyTransaction } from '../../cosmos/legacy-shapes.ts';
import { afterBroadcast, untilInBlock } from '../../cosmos/transactions.ts';
import { QuotientError, withFacts } from '../error.ts';
import { startDeadline } from '../transport/deadline.ts';
import type { CallOptions } from '../transport/options.ts';
import { isTransient } from '../transport/retries.ts';
import { hashOf, type readSigned } from './node-transport.ts';

export type BroadcastOptions = CallOptions & {
  /** `sync` (default) waits for the node's check, `async` waits for nothing, and `block` waits for the block. */
  mode?: BroadcastMode | undefined;
  /** Waits until the transaction is in a block, and returns the result of the look-up. */
  wait?: true | WaitOptions | undefined;
};

type Deps = {
  within: <T extends object>(call: CallOptions, use: (node: NodeCalls) => Promise<T>) => Promise<T>;
  lookUp: (hash: string, call: CallOptions) => Promise<LegacyTransaction>;
};

/** Sends a signed transaction once. If the outcome is unknown, the error contains the `txhash`. */
export async function broadcast(
  { within, lookUp }: Deps,
  signed: ReturnType<typeof readSigned>,
  { mode = 'sync', wait, ...call }: BroadcastOptions,
): Promise<LegacyTransaction> {
  // Modern nodes have no mode `block`, so the client polls for the block.
  const waiting = wait === true || (mode === 'block' && wait === undefined) ? {} : wait;
  let ownHash: string | undefined;
  let response: LegacyTransaction | undefined;
  let failure: QuotientError | undefined;
  try {
    const sent = await within(call, async (node) => {
      const request = await node.prepare({ ...signed, mode });
      ownHash = await hashOf(request);
      return node.broadcast(request);
    });
    if (ownHash !== undefined && sent.txhash !== ownHash) {
      const facts = { status: 502, txhash: ownHash };
      throw new QuotientError('upstream_invalid', 'the node returned a different transaction', facts);
    }
    response = sent;
  } catch (error) {
    if (!(error instanceof QuotientError)) throw error;
    const isLost = error.code === 'network' || error.code === 'timeout' || error.txhash !== undefined;
    if (!isLost && error.code !== 'node_rejected')
      throw isInDoubt(error) ? withFacts(error, { txhash: ownHash }) : error;
    failure = error;
  }
  const hash = response?.txhash ?? failure?.txhash ?? ownHash;
  const rejection = failure?.code === 'node_rejected' ? failure.detail : undefined;
  const next = afterBroadcast({ hash, response, rejection }, Boolean(waiting));
  const end = (): LegacyTransaction => {
    if (response) return response;
    throw failure && (rejection === undefined || next !== 'end') ? withFacts(failure, { txhash: hash }) : failure;
  };
  if (hash === undefined || next === 'end') return end();
  if (next === 'wait')
    return waitForBlock(hash, (until) => lookUp(hash, { ...call, signal: until }), { signal: call.signal, ...waiting });
  return lookUp(hash, call).catch((error: unknown) => {
    if (error instanceof QuotientError) return end();
    throw error;
  });
}

/** Whether the node may have received a broadcast, although it or a proxy in front of it reports an error. */
const isInDoubt = ({ cause }: QuotientError) =>
  cause instanceof NodeFault && cause.kind !== 'wrong_dialect' && cause.kind !== 'not_ready';

export type WaitOptions = {
  /** The maximum wait in ms; 60,000 by default. */
  timeout?: number | undefined;
  /** The delay between look-ups in ms; 1,000 by default. */
  interval?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Whether a look-up is repeated after this error. With status 404, the node has not found the transaction yet. */
const isTransientLookUp = (error: unknown) =>
  error instanceof QuotientError && (error.status === 404 || error.code === 'timeout' || isTransient(error));

/** Looks up a transaction until it is in a block. After `timeout` ms, rejects with code `timeout` and the `txhash`. */
export async function waitForBlock(
  hash: string,
  lookUp: (signal: AbortSignal) => Promise<LegacyTransaction>,
  { timeout = 60_000, interval = 1_000, signal }: WaitOptions,
): Promise<LegacyTransaction> {
  const deadline = startDeadline(timeout, signal);
  try {
    const found = await untilInBlock({
      lookUp: () => lookUp(deadline.signal),
      isTransient(error) {
        deadline.check();
        return isTransientLookUp(error);
      },
      pause: async () => {
        if (interval >= deadline.left()) return false;
        await deadline.sleep(interval);
        return true;
      },
    });
    if (found) return found;
    throw new QuotientError('timeout', `no block contained the transaction within ${timeout} ms`);
  } catch (error) {
    throw error instanceof QuotientError ? withFacts(error, { txhash: hash }) : error;
  } finally {
    deadline.clear();
  }
}
