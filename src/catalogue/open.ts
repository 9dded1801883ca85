import type { CapabilityDeps } from '#server/capability';
import type { VersionWatcher } from '#upstream/version-watcher';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { createTokenStore } from './token-store.ts';

/** The row of `Refresh` whose version rises when a token is added or removed. */
export const TOKENS_CHANGED = 'tokens';
type Deps = Pick<CapabilityDeps, 'database' | 'deadline'> & { versions: Pick<VersionWatcher, 'watch'> };

export async function openCatalogue({ database, deadline, versions }: Deps) {
  const store = deadline.over(createTokenStore(database.prisma));
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
  // Tokens may have been added during the first read.
  await sync();

  return {
    all: () => current.all(),
    named: (name) => current.named(name),
    find: (nameOrSymbol) => current.find(nameOrSymbol),
    nearest: (text) => current.nearest(text),
    /** Reads the tokens again if any process has added or removed one. The poll of all versions does the same. */
    sync,
    /** Changes when the tokens change. */
    generation: () => generation,
  } satisfies Catalogue & Record<string, unknown>;
}

export type OpenCatalogue = Awaited<ReturnType<typeof openCatalogue>>;
