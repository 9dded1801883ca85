import { type Clock, SECOND } from '#core/clock';

/** The memory limit for stored rows, in bytes. */
const MOST_BYTES = 128 * 1024 * 1024;
/** In ms. Rows used more recently may still be in use, since a response reads its rows again after each fetch. */
const IN_USE = 30 * SECOND;

/** Rows in memory that can be reloaded. */
export type Evictable = { bytes(): number; drop(): void };
type Options = { clock: Clock; mostBytes?: number };

/** Above the limit, the least recently used rows are evicted. Rows in use remain, even above the limit. */
export function createWorkingSet({ clock, mostBytes = MOST_BYTES }: Options) {
  const usedAt = new Map<Evictable, number>();
  const bytes = () => usedAt.keys().reduce((sum, resident) => sum + resident.bytes(), 0);

  return {
    /** Marks rows as used now, and adds new ones to the set. */
    use: (resident: Evictable): void => void usedAt.set(resident, clock.elapsed()),

    /** Evicts rows if they exceed the limit. Call it after loading rows. */
    trim(): void {
      let left = bytes();
      if (left <= mostBytes) return;
      const idleSince = clock.elapsed() - IN_USE;
      for (const [resident, at] of [...usedAt].sort(([, a], [, b]) => a - b)) {
        if (left <= mostBytes || at > idleSince) return;
        left -= resident.bytes();
        usedAt.delete(resident);
        resident.drop();
      }
    },

    reading: () => ({ bytes: bytes(), mostBytes }),
  };
}

export type WorkingSet = ReturnType<typeof createWorkingSet>;
