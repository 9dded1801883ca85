import { NodeRejection } from '../../domain/cosmos/exchange.ts';
import type { LegacyTransaction } from '../../domain/cosmos/legacy-shapes.ts';
import { untilInBlock } from '../../domain/cosmos/until-in-block.ts';
import { startDeadline } from '../deadline.ts';
import { QuotientError, withFacts } from '../error.ts';
import { mayPass } from '../transport.ts';

export type WaitOptions = {
  /** How long, in ms: 60,000 where left out. */
  timeoutMs?: number | undefined;
  /** How often it is looked up, in ms: 1,000 where left out. */
  everyMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** A look-up that failed in passing tells no more than one that found nothing. */
const isPassing = (error: unknown): error is QuotientError =>
  error instanceof QuotientError && (error.status === 404 || error.code === 'timeout' || mayPass(error));

/**
 * Looks a transaction up by its hash until it is in a block. Rejects with `timeout` and the `txhash` when it is in
 * none in time, with the signal's reason, and with whatever a look-up rejects with that is no passing failure.
 */
export async function waitForBlock(
  hash: string,
  lookUp: (signal: AbortSignal) => Promise<LegacyTransaction>,
  { timeoutMs = 60_000, everyMs = 1_000, signal }: WaitOptions,
): Promise<LegacyTransaction> {
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const found = await untilInBlock({
      lookUp: () =>
        lookUp(deadline.signal).catch((error: unknown) => {
          deadline.check();
          throw isPassing(error) ? new NodeRejection(404, error.detail) : error;
        }),
      pause: async () => {
        if (everyMs >= deadline.left()) return false;
        await deadline.sleep(everyMs);
        return true;
      },
    });
    if (found) return found;
    throw new QuotientError('timeout', `the transaction is in no block after ${timeoutMs} ms`);
  } catch (error) {
    throw error instanceof QuotientError ? withFacts(error, { txhash: hash }) : error;
  } finally {
    deadline.clear();
  }
}
