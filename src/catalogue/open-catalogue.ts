import type { CapabilityDeps } from '#server/capability';
import type { VersionWatcher } from '#upstream/version-watcher';
import { createCatalogue } from './catalogue.ts';
import { createTokenStore, TOKENS_CHANGED } from './token-store.ts';

type Deps = Pick<CapabilityDeps, 'database' | 'deadline'> & { versions: Pick<VersionWatcher, 'watch'> };

export async function openCatalogue({ database, deadline, versions }: Deps) {
  const store = deadline.over(createTokenStore(database.prisma));
  const { replace, ...catalogue } = createCatalogue(await store.all());
  const { sync } = versions.watch<typeof TOKENS_CHANGED>({
    names: () => [TOKENS_CHANGED],
    async reload(changed) {
      if (changed.length > 0) replace(await store.all());
    },
  });
  // The tokens are read again, because tokens may have been added during the first read.
  await sync();

  /** `sync` rereads the tokens if any process has added or removed one. The poll of all versions does the same. */
  return { ...catalogue, sync };
}

export type OpenCatalogue = Awaited<ReturnType<typeof openCatalogue>>;
