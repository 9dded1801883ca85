import { type Clock, systemClock } from '#core/clock';
import type { Database } from '#database/database';
import { mintOwnerKey } from '#keys/api-key';
import { createKeyStore } from '#keys/key-store';
import { createKeys } from '#keys/keys';
import { createAdministration } from '#users/administration/administration';
import { createAdministrationStore } from '#users/administration/administration-store';
import { createUserStore } from '#users/user-store';
import { createUsers } from '#users/users';

type Options = { clock?: Clock; changed?: () => Promise<unknown> };

/** The services that change users, for programs that run beside the service. */
export function createUserServices(prisma: Database['prisma'], { clock = systemClock, changed }: Options = {}) {
  const deps = { clock, ...(changed && { changed }) };
  const users = createUsers({ ...deps, store: createUserStore(prisma), mintOwnerKey });
  return {
    users,
    keys: createKeys({ ...deps, store: createKeyStore(prisma), users }),
    administration: createAdministration({ ...deps, store: createAdministrationStore(prisma), find: users.find }),
  };
}

export type UserServices = ReturnType<typeof createUserServices>;
