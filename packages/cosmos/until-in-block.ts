import { NodeRejection } from './exchange.ts';
import type { LegacyTransaction } from './legacy-shapes.ts';
import { isInBlock } from './transactions.ts';

type Options = {
  /** Looks the transaction up; throws `NodeRejection` with 404 while it is not known. */
  lookUp: () => Promise<LegacyTransaction>;
  /** Waits before the next look; false when the time is up. */
  pause: () => Promise<boolean>;
};

/** Looks a transaction up until it is in a block; undefined when the time is up. Throws any failure except 404. */
export async function untilInBlock({ lookUp, pause }: Options): Promise<LegacyTransaction | undefined> {
  while (await pause()) {
    try {
      const found = await lookUp();
      if (isInBlock(found)) return found;
    } catch (error) {
      if (!(error instanceof NodeRejection) || error.status !== 404) throw error;
    }
  }
  return undefined;
}
