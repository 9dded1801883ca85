import type { AddressInfo } from 'node:net';
import type { Database } from '#database/database';
import type { CapabilityDeps } from '#server/capability';
import { ownAddress } from './own-address.ts';
import { createPeers } from './peers.ts';
import { createProcessStore } from './process-store.ts';
import { createRecentRequests } from './recent-requests.ts';
import { createRecorder } from './recorder.ts';
import { createRequestLog, type KeyNames } from './request-log.ts';

type Deps = Pick<CapabilityDeps, 'deadline' | 'clock'> & {
  settings: { requestLog: boolean; processUrl: string | undefined; basePath: string };
  database: Pick<Database, 'prisma' | 'isShareable'>;
  /** A secret that all processes share, with which they sign their requests to each other. */
  peerSecret: string;
  keyNames: KeyNames;
  /** The ID of this process in the database, and how the database learns its address. */
  processId: () => string;
  setAddress: (address: string) => Promise<void>;
};

export function openRequests({ settings, database, deadline, clock, peerSecret, keyNames, ...process }: Deps) {
  const { processId, setAddress } = process;
  const { basePath } = settings;
  const recent = settings.requestLog ? createRecentRequests(clock) : undefined;
  const store = deadline.over(createProcessStore(database.prisma));
  const peers =
    recent && database.isShareable ? createPeers({ store, processId, secret: peerSecret, clock }) : undefined;

  return {
    log: recent && createRequestLog({ recent, peers, keyNames, basePath }),
    /** Undefined if the request log is off. */
    recorder: recent && createRecorder(recent, basePath),
    forget: (userKey: number): void => void recent?.forget(userKey),
    clear: (): void => recent?.clear(),
    /** Announces the address of this process to the other processes. */
    async announce(address: AddressInfo): Promise<void> {
      if (peers) await setAddress(settings.processUrl ?? `${ownAddress(address)}${basePath}`);
    },
    close: async (): Promise<void> => peers?.close(),
  };
}
