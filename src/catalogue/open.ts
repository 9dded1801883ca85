import type { VersionWatcher } from '#upstream/version-watcher';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import type { TokenStore } from './token-store.ts';

/** What `Refresh` calls the tokens that are served: its version rises with each that is added or removed. */
export const TOKENS_CHANGED = 'tokens';

type Dependencies = { store: Pick<TokenStore, 'all'>; versions: Pick<VersionWatcher, 'watch'> };

/** The tokens that are served, as they are stored now. */
export async function openCatalogue({ store, versions }: Dependencies) {
  let current = createCatalogue(await store.all());
  let generation = 0;

  const { sync } = versions.watch<typeof TOKENS_CHANGED>({
    names: () => [TOKENS_CHANGED],
    async reload(changed) {
      if (changed.length === 0) return;
      current = createCatalogue(await store.all());
      generation += 1;
    },
  });
  // What was added while it was read is there after this.
  await sync();

  return {
    all: () => current.all(),
    named: (name) => current.named(name),
    find: (nameOrSymbol) => current.find(nameOrSymbol),
    nearest: (text) => current.nearest(text),

    /** Takes over what was added or removed, by whichever process. */
    sync,

    /** Another one after each change. */
    generation: () => generation,
  } satisfies Catalogue & Record<string, unknown>;
}

export type OpenCatalogue = Awaited<ReturnType<typeof openCatalogue>>;
