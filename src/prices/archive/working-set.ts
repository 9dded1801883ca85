import { type Clock, SECOND } from '#core/clock';

/** What rows of the store may take of memory together, in bytes. */
const MOST_BYTES = 128 * 1024 * 1024;
/** What was used less long ago may be in use: an answer looks at its rows again after each fetch. In ms. */
const IN_USE = 30 * SECOND;

/** Rows in memory that can be loaded again. */
export type Resident = {
  /** What they take of memory, in bytes. */
  bytes(): number;
  /** Forgets them. */
  drop(): void;
};

type Options = { clock: Clock; mostBytes?: number };

/**
 * The rows of the store that are in memory. Beyond the bound those go that nobody has used for longest; what may be in
 * use stays, also where the bound is passed for it.
 */
export function createWorkingSet({ clock, mostBytes = MOST_BYTES }: Options) {
  const usedAt = new Map<Resident, number>();
  const bytes = () => usedAt.keys().reduce((sum, resident) => sum + resident.bytes(), 0);

  return {
    /** Notes that rows are used now; those that are new become part of the set. */
    use: (resident: Resident): void => void usedAt.set(resident, clock.elapsed()),

    /** Drops what is too much. To be called when rows were loaded. */
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

    /** What the rows take of memory now and what they may, in bytes. */
    reading: () => ({ bytes: bytes(), mostBytes }),
  };
}

export type WorkingSet = ReturnType<typeof createWorkingSet>;
