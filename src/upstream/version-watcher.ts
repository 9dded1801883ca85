import { createMutex } from '#core/mutex';
import type { RefreshRow, RefreshStore } from './claims-and-budgets-store.ts';
import type { Resource } from './resource.ts';

type Cache<What extends Resource> = {
  names: () => readonly What[];
  /** Reloads changed resources. Their new versions are recorded only after the reload has succeeded. */
  reload: (changed: readonly What[]) => Promise<void>;
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
    return { number, rows: new Map((await store.read(names)).map((row) => [row.resource, row])) };
  }

  return {
    /** Watches a cache's resources. The first `sync` and each later poll update the cache. */
    watch<What extends Resource>({ names, reload, reloaded }: Cache<What>) {
      const rowsByResource = new Map<string, RefreshRow>();
      const inTurn = createMutex();
      let latest = 0;
      let next: Promise<void> | undefined;

      async function update({ number, rows }: Read): Promise<void> {
        // A poll that waited for its turn may have read the versions before the preceding update read them.
        if (number < latest) return;
        latest = number;
        const changed = new Map<What, RefreshRow>();
        for (const resource of names()) {
          const row = rows.get(resource);
          if (row && row.version !== rowsByResource.get(resource)?.version) changed.set(resource, row);
        }
        await reload([...changed.keys()]);
        for (const [resource, row] of changed) rowsByResource.set(resource, row);
        if (changed.size > 0) reloaded?.();
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

        /** The version of the resource that this process last read; 0 if there is none. */
        version: (resource: What): number => rowsByResource.get(resource)?.version ?? 0,
        /** When any process last fetched the resource (Unix ms). */
        fetchedAt: (resource: What): number | undefined => rowsByResource.get(resource)?.fetchedAt ?? undefined,

        /** Forgets resources that are no longer cached, so that the next update that names them reloads them. */
        forget(whats: readonly What[]): void {
          for (const resource of whats) rowsByResource.delete(resource);
        },
      };
    },

    async poll(): Promise<void> {
      const polled = [...watches];
      const all = await read(polled.flatMap(({ names }) => names()));
      await Promise.all(polled.map(({ update }) => update(all)));
    },
  };
}

export type VersionWatcher = ReturnType<typeof createVersionWatcher>;
