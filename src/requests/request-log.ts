import type { IncomingHttpHeaders } from 'node:http';
import { iso } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import type { ListedRequest } from '#server/gate';
import type { Peers } from './peers.ts';
import { BOUNDS, type RecentRequests } from './recent-requests.ts';
import type { RequestLogRecord } from './requests-records.ts';

export type KeyNames = (userKey: number) => Promise<readonly { id: number; label: string | null }[]>;

type Dependencies = {
  recent: RecentRequests;
  /** Undefined if the service has a single process. */
  peers: Peers | undefined;
  keyNames: KeyNames;
  basePath: string;
};

/** A failed call of a tool has a code, although its status is 200. */
const isFailed = ({ status, code }: ListedRequest): boolean => status >= 400 || code !== undefined;
const rounded = (ms: number) => Math.round(ms * 10) / 10;

/** Merges the requests of a user from all processes. Nothing is written to a disk. */
export function createRequestLog({ recent, peers, keyNames, basePath }: Dependencies) {
  return {
    async of(userKey: number, wanted?: 'failed'): Promise<RequestLogRecord> {
      const [names, others] = await Promise.all([withinDeadline(keyNames(userKey)), peers?.ask(userKey)]);
      const labels = new Map(names.map(({ id, label }) => [id, label]));
      const all = [...recent.of(userKey), ...(others?.requests ?? [])];
      const listed = wanted === 'failed' ? all.filter(isFailed) : all;
      const newest = listed.sort((one, other) => other.at - one.at).slice(0, BOUNDS.requests);
      return {
        complete: others?.isComplete ?? true,
        requests: newest.map(({ at, keyId, method, path, status, code, detail, cost, ms }) => ({
          time: iso(at),
          keyId,
          keyLabel: labels.get(keyId) ?? null,
          method,
          path,
          status,
          code: code ?? null,
          detail: detail ?? null,
          help: code === undefined ? null : `${basePath}/docs/problems#${code}`,
          cost,
          milliseconds: rounded(ms),
        })),
      };
    },

    /** Returns the requests in this process. Returns undefined unless another process of the service asks. */
    forPeer: ({ authorization }: IncomingHttpHeaders, userKey: number): ListedRequest[] | undefined =>
      peers?.isAsked(authorization, userKey) ? recent.of(userKey) : undefined,
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;
