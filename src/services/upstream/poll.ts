import { createOneAtATime } from '#domain/one-at-a-time';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';

type Dependencies<What extends string> = {
  refreshes: Pick<RefreshStore, 'all'>;
  /** Whether a row of `Refresh` is about what is cached here. */
  concerns: (what: string) => what is What;
  /** Reloads what these fetches wrote; their versions count as known only once it is done. */
  reload: (changed: readonly What[]) => Promise<void>;
};

/** Polls the versions of what is fetched, so that a cache follows what this or any other process has stored. */
export function createPoll<What extends string>({ refreshes, concerns, reload }: Dependencies<What>) {
  const versions = new Map<What, number>();
  const fetchedAt = new Map<What, number>();
  const inTurn = createOneAtATime();

  async function poll(): Promise<void> {
    const rows = await refreshes.all();
    const changed = rows.flatMap(({ what, ...row }) =>
      concerns(what) && versions.get(what) !== row.version ? [{ what, ...row }] : [],
    );
    if (changed.length === 0) return;
    await reload(changed.map(({ what }) => what));
    for (const { what, version, fetchedAt: at } of changed) {
      versions.set(what, version);
      if (at === null) fetchedAt.delete(what);
      else fetchedAt.set(what, at);
    }
  }

  return {
    /** Reloads what was written since the last poll; one poll at a time. */
    sync: (): Promise<void> => inTurn(poll),

    /** How often a thing was fetched and stored, as far as this process knows. */
    version: (what: What): number => versions.get(what) ?? 0,

    /** When a thing was last fetched (Unix ms), by whichever process. */
    fetchedAt: (what: What): number | undefined => fetchedAt.get(what),
  };
}

export type Poll<What extends string> = ReturnType<typeof createPoll<What>>;
