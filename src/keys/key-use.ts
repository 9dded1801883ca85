import { MINUTE } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import type { KeyHolderStore } from './key-holder-store.ts';
import type { KeyHolder } from './key-validity.ts';

/** Keys per statement. PostgreSQL takes 20 ms for a statement of this size. */
const WRITTEN_AT_ONCE = 2_500;

export type Use = {
  /** The minute of the last use, counted from 1970. 0 if this process has seen no use. */
  usedMinute: number;
  pageOrigin: string | undefined;
  /** When a key that is not for URLs was first seen in a URL by this process, in Unix ms. */
  exposedAt: number | undefined;
};

export const UNUSED: Use = { usedMinute: 0, pageOrigin: undefined, exposedAt: undefined };

type Used = KeyHolder & Use;

/**
 * Writes a bounded number of recorded uses. Returns whether all were written. Throws `database_unavailable`.
 * @param unwritten the used keys; written keys are removed
 * @param counts whether the use of a key is recorded
 */
export async function recordKeyUses(
  unwritten: Set<Used>,
  store: Pick<KeyHolderStore, 'recordUse'>,
  counts: (key: Used) => boolean,
): Promise<boolean> {
  const keys = [...unwritten.values().take(WRITTEN_AT_ONCE)];
  if (keys.length === 0) return true;
  for (const key of keys) unwritten.delete(key);
  const uses = keys.filter(counts).map(({ id, usedMinute, pageOrigin, exposedAt }) => ({
    ...{ id, exposedAt },
    at: usedMinute * MINUTE,
    origin: pageOrigin,
  }));
  try {
    const missed = new Set(await withinDeadline(store.recordUse(uses)));
    for (const key of keys) if (missed.has(key.id)) unwritten.add(key);
  } catch (error) {
    for (const key of keys) unwritten.add(key);
    throw error;
  }
  return unwritten.size === 0;
}
