import { createOneAtATime } from '#core/one-at-a-time';
import type { RefreshStore } from './claims-and-budgets-store.ts';

type Dependencies<What extends string> = {
  refreshes: Pick<RefreshStore, 'read'>;
  /** The rows of `Refresh` that are about what is cached here, or is to be. */
  names: () => readonly What[];
  /** Reloads what these fetches wrote; their versions count as known only once it is done. */
  reload: (changed: readonly What[]) => Promise<void>;
};

/** Polls the versions of what is fetched, so that a cache follows what this or any other process has stored. */
export function createPoll<What extends string>({ refreshes, names, reload }: Dependencies<What>) {
  const versions = new Map<string, number>();
  const fetchedAt = new Map<string, number>();
  const inTurn = createOneAtATime();
  let next: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const rows = await refreshes.read(names());
    const changed = rows.filter(({ what, version }) => versions.get(what) !== version);
    await reload(changed.map(({ what }) => what as What));
    for (const { what, version, fetchedAt: at } of changed) {
      versions.set(what, version);
      if (at === null) fetchedAt.delete(what);
      else fetchedAt.set(what, at);
    }
  }

  return {
    /** Reloads what was written since the last poll. One poll at a time; one that has not begun serves all who ask. */
    sync(): Promise<void> {
      next ??= inTurn(() => {
        next = undefined;
        return poll();
      });
      return next;
    },

    /** How often a thing was fetched and stored, as far as this process knows. */
    version: (what: What): number => versions.get(what) ?? 0,

    /** When a thing was last fetched (Unix ms), by whichever process. */
    fetchedAt: (what: What): number | undefined => fetchedAt.get(what),

    /** Forgets what is no longer cached: the next poll that names it reloads it. */
    forget(whats: readonly What[]): void {
      for (const what of whats) {
        versions.delete(what);
        fetchedAt.delete(what);
      }
    },
  };
}

export type Poll<What extends string> = ReturnType<typeof createPoll<What>>;
