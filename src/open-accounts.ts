import type { Database } from '#database/database';
import { openGate } from '#gate/open-gate';
import { presentedKey } from '#gate/presented-key';
import { mintOwnerKey } from '#keys/api-key';
import { keyRotation, userKeys } from '#keys/keys-routes';
import { openKeys } from '#keys/open-keys';
import type { ledgerSettings } from '#ledger/ledger-settings';
import { openLedger } from '#ledger/open-ledger';
import { openRequests } from '#requests/open-requests';
import { peerRequests, userRequests } from '#requests/requests-routes';
import type { Capability, CapabilityDeps } from '#server/capability';
import { openUsers } from '#users/open-users';
import { type RegistrationOptions, userChanges, userReads } from '#users/users-routes';
import type { RegistrationSettings } from '#users/users-settings';

type Settings = RegistrationSettings &
  ReturnType<typeof ledgerSettings> & { shutdownGraceMs: number; publicUrl: string | undefined };
type Deps = Omit<CapabilityDeps<Settings>, 'database'> & {
  database: Pick<Database, 'prisma' | 'query' | 'execute' | 'isShareable' | 'isDistributed'>;
  /** A secret that all processes share, with which they sign their requests to each other. */
  peerSecret: string;
  /** Verifies addresses at registration. Undefined if mail is not configured. */
  mail: () => RegistrationOptions['mail'];
};

/** Opens users, keys, ledger, requests and gate. The gate is opened last, and the others call it back. */
export function openAccounts({ mail, ...deps }: Deps) {
  const { settings, clock } = deps;
  const changed = () => gate.allowance.sync();
  const users = openUsers({ ...deps, mintOwnerKey, changed });
  const ledger = openLedger(deps);
  const requests = openRequests({
    ...deps,
    keyNames: ledger.ledger.keyNames,
    processId: () => gate.allowance.processId(),
    setAddress: (address) => gate.allowance.announce(address),
  });
  const keys = openKeys({
    ...deps,
    users: users.users,
    changed,
    onRewind() {
      // The database may also have lost leases.
      gate.allowance.databaseFailed();
      // Another user may now have a lost user's record number.
      requests.clear();
    },
    onErased: requests.forget,
  });
  const gate = openGate({ ...deps, ...ledger, ...keys, requestLog: requests.recorder });

  return {
    users: users.users,
    administration: users.administration,
    stored: users.stored,
    keys: keys.keys,
    allowance: gate.allowance,
    gate: gate.gate,
    announce: requests.announce,

    routes: async (app, { bodies }) => {
      const user = { prefix: '/user', users: users.users, presentedKey };
      app.register(userReads, { ...user, usageOf: gate.allowance.usage });
      app.register(keyRotation, { prefix: '/user', keys: keys.keys });
      app.register(userChanges, { ...user, mail: mail(), settings });
      app.register(userKeys, { prefix: '/user', keys: keys.keys, bodies, clock, settings });
      app.register(userRequests, { prefix: '/user', log: requests.log });
    },
    rootRoutes: async (app) => {
      app.register(peerRequests, { log: requests.log });
    },

    readings: { add: gate.addReadings },
    jobs: [...users.jobs, ...ledger.jobs],

    async close(): Promise<void> {
      await requests.close();
      await gate.close();
    },
  } satisfies Capability & Record<string, unknown>;
}
