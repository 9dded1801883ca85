import type { CapabilityDeps } from '#server/capability';
import type { Users } from '#users/users';
import { createKeyCache } from './key-cache.ts';
import { createKeyHolderStore } from './key-holder-store.ts';
import { createKeyStore } from './key-store.ts';
import { createKeys } from './keys.ts';
import { createTicketStore } from './ticket-store.ts';
import { createTickets } from './tickets.ts';

type Deps = Pick<CapabilityDeps, 'database' | 'deadline' | 'clock' | 'log'> & {
  users: Pick<Users, 'recordOf'>;
  /** Called after each change, so that this process applies the change immediately. */
  changed: () => Promise<unknown>;
  /** Called when the database has lost changes that this process had read. */
  onRewind: () => void;
  onErased: (userKey: number) => void;
};

export function openKeys({ database: { prisma, query }, deadline, clock, log, users, ...hooks }: Deps) {
  const keyCache = createKeyCache({
    store: deadline.over(createKeyHolderStore(prisma, query)),
    clock,
    onRewind(lost) {
      log.warn(lost, 'database lost changes');
      hooks.onRewind();
    },
    onErased: hooks.onErased,
  });

  return {
    keyCache,
    keys: createKeys({ store: deadline.over(createKeyStore(prisma)), users, clock, changed: hooks.changed }),
    tickets: createTickets({ store: deadline.over(createTicketStore(prisma)), keyCache }),
  };
}

export type OpenKeys = ReturnType<typeof openKeys>;
