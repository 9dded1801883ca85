import type { RefreshStore } from '../stores/refreshes.ts';

type Parts<What extends string> = {
  refreshes: Pick<RefreshStore, 'all'>;
  /** Whether a row of `Refresh` is about what this watcher holds in memory. */
  concerns: (what: string) => what is What;
  /** Reads again what these fetches have fed; only when it is done do they count as known. */
  takeOver: (changed: readonly What[]) => Promise<void>;
};

/**
 * Watches the versions of what is fetched, so that what this process holds in memory follows what it or any other
 * process has written to the store.
 */
export function createWatch<What extends string>({ refreshes, concerns, takeOver }: Parts<What>) {
  const versions = new Map<What, number>();
  const fetchedAt = new Map<What, number>();
  let looking = Promise.resolve();

  async function look(): Promise<void> {
    const rows = await refreshes.all();
    const changed = rows.flatMap(({ what, ...row }) =>
      concerns(what) && versions.get(what) !== row.version ? [{ what, ...row }] : [],
    );
    if (changed.length === 0) return;
    await takeOver(changed.map(({ what }) => what));
    for (const { what, version, fetchedAt: at } of changed) {
      versions.set(what, version);
      if (at !== null) fetchedAt.set(what, at);
    }
  }

  return {
    /** Takes over what was written since the last look; one look at a time. */
    sync(): Promise<void> {
      const next = looking.then(look);
      looking = next.catch(() => undefined);
      return next;
    },

    /** How often what a fetch feeds was written, as far as this process knows. */
    version: (what: What): number => versions.get(what) ?? 0,

    /** When a thing was last fetched (Unix ms), by whichever process. */
    fetchedAt: (what: What): number | undefined => fetchedAt.get(what),
  };
}

export type Watch<What extends string> = ReturnType<typeof createWatch<What>>;
