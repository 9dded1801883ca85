import type { AddressInfo } from 'node:net';
import { MINUTE } from '#core/clock';
import { every } from '#core/every';
import type { Database } from '#database/database';
import { withinDeadline } from '#database/deadline';
import type { Capability, CapabilityDeps } from '#server/capability';
import { createAllowance } from './gate/allowance.ts';
import { createGate, type Gate } from './gate/gate.ts';
import { createTicketStore } from './gate/ticket-store.ts';
import { createTickets } from './gate/tickets.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { createUserStore } from './keys/user-store.ts';
import { createLedgerStore } from './ledger/ledger-store.ts';
import { createUsageDayStore } from './ledger/usage-day-store.ts';
import { createUsageRetention } from './ledger/usage-retention.ts';
import { addLeaseReadings, addLeaseRowReadings, createLedgerMetrics } from './metrics.ts';
import { ownAddress } from './requests/own-address.ts';
import { createPeers } from './requests/peers.ts';
import { createProcessStore } from './requests/process-store.ts';
import { createRecentRequests } from './requests/recent-requests.ts';
import { createRequestLog } from './requests/request-log.ts';
import { peerRequests, userRequests } from './requests/routes.ts';
import { shownPath } from './requests/shown-path.ts';
import type { RegistrationSettings } from './settings.ts';
import { createAccountStore } from './users/account-store.ts';
import { createAdministration } from './users/administration.ts';
import { createAdministrationStore } from './users/administration-store.ts';
import { type UserOptions, user } from './users/routes.ts';
import { userKeys } from './users/routes-keys.ts';
import { createUsers } from './users/users.ts';

/** How often plans that have become due are started, in ms. The ledger applies their limits from their first call on. */
const PLANS_START_EVERY = MINUTE;

type Deps = Omit<CapabilityDeps<RegistrationSettings & { shutdownGraceMs: number }>, 'database'> & {
  database: Pick<Database, 'prisma' | 'query' | 'isShareable'>;
  /** A secret that all processes share, with which they ask each other. */
  peerSecret: string;
  /** Verifies addresses at registration. Undefined if mail is not configured. */
  mail: () => UserOptions['mail'];
};

export function openAccounts({ mail, peerSecret, ...deps }: Deps) {
  const { settings, database, deadline, metrics, clock, log, failures } = deps;
  const { burstPerSecond, shutdownGraceMs } = settings;
  const ledgerMetrics = createLedgerMetrics(metrics);
  const store = deadline.over(createUserStore(database.prisma, database.query));
  const ledger = createLedgerStore(database, ledgerMetrics.statement);
  const keyCache = createKeyCache({
    store,
    clock,
    onRewind(lost) {
      log.warn(lost, 'database lost changes');
      // Leases may be lost too.
      allowance.databaseFailed();
      // Another user may now have a lost user's record number.
      recent?.clear();
    },
    onErased: (userKey) => recent?.forget(userKey),
  });
  const tickets = createTickets({ store: deadline.over(createTicketStore(database.prisma)), keyCache });
  const allowance = createAllowance({
    keyCache,
    ledger,
    clock,
    failures,
    firstGrant: burstPerSecond || undefined,
    observeWait: ledgerMetrics.wait,
  });
  const users = createUsers({ store, clock, changed: allowance.sync });
  const administration = createAdministration({
    store: deadline.over(createAdministrationStore(database.prisma)),
    find: store.find,
    clock,
    changed: allowance.sync,
  });
  const starting = every(PLANS_START_EVERY, administration.startDuePlans, {
    onError: (error) => failures.failed('plan start', error),
  });
  // No request waits for a deletion, so this store has no deadline.
  const retention = createUsageRetention({
    ...deps,
    store: createUsageDayStore(database.prisma),
    retention: settings.usageRetention,
  });

  const processes = deadline.over(createProcessStore(database.prisma));
  const recent = settings.requestLog ? createRecentRequests() : undefined;
  const peers =
    recent && database.isShareable ? createPeers({ store: processes, secret: peerSecret, clock, failures }) : undefined;
  const requestLog = recent && createRequestLog({ recent, peers, ledger, basePath: settings.basePath });

  return {
    users,
    administration,
    /** The stored users, for the operator. */
    stored: deadline.over(createAccountStore(database.prisma)),
    allowance,
    gate: {
      ...createGate(allowance, burstPerSecond),
      issueTicket: ({ caller }) => tickets.issue(caller),
      redeemTicket: tickets.redeem,
      requestLog: recent && {
        note: recent.note,
        pathOf: (url, { parameters }) => shownPath(url, settings.basePath, parameters ?? new Set()),
      },
    } satisfies Gate,
    /** Announces the address of this process to the others. */
    announce: async (address: AddressInfo): Promise<void> =>
      peers?.announce(settings.processUrl ?? `${ownAddress(address)}${settings.basePath}`),

    routes: async (app, { bodies }) => {
      app.register(user, { prefix: '/user', users, allowance, mail: mail(), settings });
      app.register(userKeys, { prefix: '/user', users, bodies, clock });
      app.register(userRequests, { prefix: '/user', log: requestLog });
    },
    rootRoutes: async (app) => {
      app.register(peerRequests, { log: requestLog });
    },

    readings: {
      add(registry) {
        addLeaseReadings(registry, allowance.reading);
        addLeaseRowReadings(registry, () => withinDeadline(ledger.leaseRows()));
      },
    },
    enforceRetention: retention.look,

    async close(): Promise<void> {
      await peers?.close();
      await starting.close();
      await allowance.close(shutdownGraceMs);
      await retention.close();
    },
  } satisfies Capability & Record<string, unknown>;
}

export type Accounts = ReturnType<typeof openAccounts>;
