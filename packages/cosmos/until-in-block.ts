import type { LegacyTransaction } from './legacy-shapes.ts';
import { isInBlock } from './transactions.ts';

type Options = {
  /** Looks the transaction up; a node does not know one by its hash before it is in a block. */
  lookUp: () => Promise<LegacyTransaction>;
  /** Whether an error of a look-up counts as one that found nothing. */
  isTransient: (error: unknown) => boolean;
  /** Waits before the next look; false when the time is up. */
  pause: () => Promise<boolean>;
};

/** Looks a transaction up until it is in a block; undefined when the time is up. Throws an error that is not transient. */
export async function untilInBlock(options: Options): Promise<LegacyTransaction | undefined> {
  const { lookUp, isTransient, pause } = options;
  while (await pause()) {
    try {
      const found = await lookUp();
      if (isInBlock(found)) return found;
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
  return undefined;
}
