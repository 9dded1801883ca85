import { type Clock, SECOND } from '#core/clock';

const MAX_BYTES = 128 * 1024 * 1024;
/** Rows used within this time (in ms) may be in use, because a response rereads its rows after each fetch. */
const IN_USE = 30 * SECOND;

/** Rows in memory that can be reloaded. `usedAt` is in monotonic ms. */
export type Evictable = { usedAt: number; bytes(): number; drop(): void };
type Options = { clock: Clock; maxBytes?: number };

/** Evicts the least recently used rows above the limit. Rows in use stay in memory, even above the limit. */
export function createWorkingSet({ clock, maxBytes = MAX_BYTES }: Options) {
  const residents = new Set<Evictable>();
  const bytes = () => residents.values().reduce((sum, resident) => sum + resident.bytes(), 0);

  return {
    add(resident: Evictable): void {
      resident.usedAt = clock.elapsed();
      residents.add(resident);
    },

    /** Evicts rows if they exceed the limit. Call this after loading rows. */
    trim(): void {
      let left = bytes();
      if (left <= maxBytes) return;
      const idleSince = clock.elapsed() - IN_USE;
      for (const resident of [...residents].sort((a, b) => a.usedAt - b.usedAt)) {
        if (left <= maxBytes || resident.usedAt > idleSince) return;
        left -= resident.bytes();
        residents.delete(resident);
        resident.drop();
      }
    },

    reading: () => ({ bytes: bytes(), maxBytes }),
  };
}

export type WorkingSet = ReturnType<typeof createWorkingSet>;
