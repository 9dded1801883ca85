import { createMutex } from '#core/mutex';
import type { RefreshRow, RefreshStore } from './claims-and-budgets-store.ts';
import type { Resource } from './resource.ts';

type Cache<What extends Resource> = {
  /** The resources that are or should be cached. */
  names: () => readonly What[];
  /** Reloads changed resources. Their versions are recorded after the reload succeeds. */
  reload: (changed: readonly What[]) => Promise<void>;
  /** Called after a reload, when the versions are recorded. */
  reloaded?: () => void;
};

/** The result of one statement. Later statements have higher numbers. */
type Read = { number: number; rows: ReadonlyMap<string, RefreshRow> };

/** Watches the versions of resources, so that caches follow changes made by any process. */
export function createVersionWatcher(store: Pick<RefreshStore, 'read'>) {
  const watches: { names: () => readonly Resource[]; update: (read: Read) => Promise<void> }[] = [];
  let reads = 0;

  async function read(names: readonly Resource[]): Promise<Read> {
    reads += 1;
    const number = reads;
    return { number, rows: new Map((await store.read(names)).map((row) => [row.what, row])) };
  }

  return {
    /** Watches a cache's resources. The first `sync` and each later poll update the cache. */
    watch<What extends Resource>({ names, reload, reloaded }: Cache<What>) {
      const known = new Map<string, RefreshRow>();
      const inTurn = createMutex();
      let latest = 0;
      let next: Promise<void> | undefined;

      async function update({ number, rows }: Read): Promise<void> {
        // A poll that waited for its turn may have read before the preceding update did.
        if (number < latest) return;
        latest = number;
        const changed = names().filter((what) => {
          const row = rows.get(what);
          return row && row.version !== known.get(what)?.version;
        });
        await reload(changed);
        for (const what of changed) known.set(what, rows.get(what) as RefreshRow);
        if (changed.length > 0) reloaded?.();
      }
      const watched = { names, update: (all: Read) => inTurn(() => update(all)) };

      return {
        /** Reloads changes since the last update. Updates run one at a time; a queued update serves all callers. */
        sync(): Promise<void> {
          if (!watches.includes(watched)) watches.push(watched);
          next ??= inTurn(async () => {
            next = undefined;
            await update(await read(names()));
          });
          return next;
        },

        /** The resource's version as known to this process; 0 if there is none. */
        version: (what: What): number => known.get(what)?.version ?? 0,
        /** When any process last fetched the resource (Unix ms). */
        fetchedAt: (what: What): number | undefined => known.get(what)?.fetchedAt ?? undefined,

        /** Forgets resources that are no longer cached, so that the next update that names them reloads them. */
        forget(whats: readonly What[]): void {
          for (const what of whats) known.delete(what);
        },
      };
    },

    /** Updates all caches with one statement. */
    async poll(): Promise<void> {
      const polled = [...watches];
      const all = await read(polled.flatMap(({ names }) => names()));
      await Promise.all(polled.map(({ update }) => update(all)));
    },
  };
}

export type VersionWatcher = ReturnType<typeof createVersionWatcher>;
