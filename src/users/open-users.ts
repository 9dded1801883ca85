import { MINUTE } from '#core/clock';
import type { Job } from '#core/jobs';
import type { CapabilityDeps } from '#server/capability';
import { createAccountStore } from './administration/account-store.ts';
import { createAdministration } from './administration/administration.ts';
import { createAdministrationStore } from './administration/administration-store.ts';
import type { OwnerKey } from './user.ts';
import { createUserStore } from './user-store.ts';
import { createUsers } from './users.ts';

/** How often plans that have become due are started, in ms. The ledger applies their limits from their first call on. */
const PLAN_START_INTERVAL = MINUTE;

type Deps = Pick<CapabilityDeps, 'database' | 'deadline' | 'clock'> & {
  mintOwnerKey: () => OwnerKey;
  changed: () => Promise<unknown>;
};

export function openUsers({ database: { prisma }, deadline, clock, mintOwnerKey, changed }: Deps) {
  const users = createUsers({ store: deadline.over(createUserStore(prisma)), clock, mintOwnerKey, changed });
  const administration = createAdministration({
    store: deadline.over(createAdministrationStore(prisma)),
    find: users.find,
    clock,
    changed,
  });
  const planStart: Job = { name: 'plan start', every: PLAN_START_INTERVAL, run: administration.startDuePlans };

  return {
    users,
    administration,
    stored: deadline.over(createAccountStore(prisma)),
    jobs: [planStart],
  };
}

export type OpenUsers = ReturnType<typeof openUsers>;
