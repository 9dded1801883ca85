import { createOneAtATime } from '#core/mutex';
import type { RefreshRow, RefreshStore } from './claims-and-budgets-store.ts';
import type { Resource } from './resource.ts';

type Cache<What extends Resource> = {
  /** The resources that are cached, or are to be. */
  names: () => readonly What[];
  /** Reloads resources that were stored; their versions count as known only once it is done. */
  reload: (changed: readonly What[]) => Promise<void>;
};

/** What one statement read; a later statement has a higher number. */
type Read = { number: number; rows: ReadonlyMap<string, RefreshRow> };

/** Watches the versions of resources, so that caches follow what this or any other process has stored. */
export function createVersionWatcher(store: Pick<RefreshStore, 'read'>) {
  const watches: { names: () => readonly Resource[]; update: (read: Read) => Promise<void> }[] = [];
  let reads = 0;

  async function read(names: readonly Resource[]): Promise<Read> {
    reads += 1;
    const number = reads;
    return { number, rows: new Map((await store.read(names)).map((row) => [row.what, row])) };
  }

  return {
    /** Watches the resources of a cache: its first `sync` and each poll from then on update it. */
    watch<What extends Resource>({ names, reload }: Cache<What>) {
      const known = new Map<string, RefreshRow>();
      const inTurn = createOneAtATime();
      let latest = 0;
      let next: Promise<void> | undefined;

      async function update({ number, rows }: Read): Promise<void> {
        // A poll that waited for its turn may have read before the update in between.
        if (number < latest) return;
        latest = number;
        const changed = names().filter((what) => {
          const row = rows.get(what);
          return row && row.version !== known.get(what)?.version;
        });
        await reload(changed);
        for (const what of changed) known.set(what, rows.get(what) as RefreshRow);
      }
      const watched = { names, update: (all: Read) => inTurn(() => update(all)) };

      return {
        /** Reloads what was stored since the last update. One update at a time; one that has not begun serves all callers. */
        sync(): Promise<void> {
          if (!watches.includes(watched)) watches.push(watched);
          next ??= inTurn(async () => {
            next = undefined;
            await update(await read(names()));
          });
          return next;
        },

        /** How often a resource was stored, as far as this process knows. */
        version: (what: What): number => known.get(what)?.version ?? 0,

        /** When a resource was last fetched (Unix ms), by whichever process. */
        fetchedAt: (what: What): number | undefined => known.get(what)?.fetchedAt ?? undefined,

        /** Forgets resources that are no longer cached: the next update that names them reloads them. */
        forget(whats: readonly What[]): void {
          for (const what of whats) known.delete(what);
        },
      };
    },

    /** Updates all caches after one statement. */
    async poll(): Promise<void> {
      const polled = [...watches];
      const all = await read(polled.flatMap(({ names }) => names()));
      await Promise.all(polled.map(({ update }) => update(all)));
    },
  };
}

export type VersionWatcher = ReturnType<typeof createVersionWatcher>;
