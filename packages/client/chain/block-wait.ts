import type { LegacyTransaction } from '../../cosmos/legacy-shapes.ts';
import { untilInBlock } from '../../cosmos/until-in-block.ts';
import { QuotientError, withFacts } from '../core/error.ts';
import { startDeadline } from '../transport/deadline.ts';
import { isTransient } from '../transport/retries.ts';

export type WaitOptions = {
  /** The longest wait, in ms; 60,000 by default. */
  timeout?: number | undefined;
  /** The pause between look-ups, in ms; 1,000 by default. */
  interval?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Such a failed look-up is treated as one that found nothing. */
const isTransientLookUp = (error: unknown) =>
  error instanceof QuotientError && (error.status === 404 || error.code === 'timeout' || isTransient(error));

/** Looks a transaction up until it is in a block; rejects with `timeout` and the `txhash` if that takes too long. */
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
    throw new QuotientError('timeout', `the transaction is not in a block after ${timeout} ms`);
  } catch (error) {
    throw error instanceof QuotientError ? withFacts(error, { txhash: hash }) : error;
  } finally {
    deadline.clear();
  }
}
