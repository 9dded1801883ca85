import type { AddressInfo } from 'node:net';
import type { Clock } from '#core/clock';
import { maskApiKeys } from '#core/log';
import type { Database } from '#database/database';
import type { Deadline } from '#database/deadline';
import type { Gate } from '#server/gate';
import { ownAddress } from './own-address.ts';
import { createPeers } from './peers.ts';
import { createProcessStore } from './process-store.ts';
import { createRecentRequests } from './recent-requests.ts';
import { createRequestLog, type KeyNames } from './request-log.ts';
import { clipped, shownPath } from './shown-path.ts';

type Deps = {
  settings: { requestLog: boolean; processUrl: string | undefined; basePath: string };
  database: Pick<Database, 'prisma' | 'isShareable'>;
  deadline: Deadline;
  clock: Clock;
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
  const recent = settings.requestLog ? createRecentRequests() : undefined;
  const store = deadline.over(createProcessStore(database.prisma));
  const peers =
    recent && database.isShareable ? createPeers({ store, processId, secret: peerSecret, clock }) : undefined;
  const noting: Gate['requestLog'] = recent && {
    note(user, request) {
      const { detail } = request;
      recent.note(user, detail === undefined ? request : { ...request, detail: clipped(maskApiKeys(detail)) });
    },
    // The name of a call that is passed on comes from a fixed list.
    pathOf: (url, { parameters, passesCalls }) =>
      passesCalls ? url.slice(basePath.length) : shownPath(url, basePath, parameters ?? new Set()),
  };

  return {
    log: recent && createRequestLog({ recent, peers, keyNames, basePath }),
    /** The function that the gate calls for each response. Undefined if the request log is off. */
    noting,
    forget: (userKey: number): void => void recent?.forget(userKey),
    clear: (): void => recent?.clear(),
    /** Announces the address of this process to the other processes. */
    async announce(address: AddressInfo): Promise<void> {
      if (peers) await setAddress(settings.processUrl ?? `${ownAddress(address)}${basePath}`);
    },
    close: async (): Promise<void> => peers?.close(),
  };
}
