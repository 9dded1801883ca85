import type { IncomingHttpHeaders } from 'node:http';
import { iso, isoOrNull, latestOf } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import type { ListedRequest } from '#server/gate';
import type { Peers } from './peers.ts';
import { BOUNDS, isFailed, type ProcessLog, type RecentRequests } from './recent-requests.ts';
import type { RequestLogRecord } from './requests-records.ts';

export type KeyNames = (userKey: number) => Promise<readonly { id: number; label: string | null }[]>;

type Dependencies = {
  recent: Pick<RecentRequests, 'read'>;
  /** Undefined if the service has a single process. */
  peers: Pick<Peers, 'ask' | 'isAsked'> | undefined;
  keyNames: KeyNames;
  basePath: string;
};

const rounded = (ms: number) => Math.round(ms * 10) / 10;
const newestFirst = (requests: ListedRequest[]) => requests.sort((one, other) => other.at - one.at);

/** Merges the requests of a user from all processes. Nothing is written to a disk. */
export function createRequestLog({ recent, peers, keyNames, basePath }: Dependencies) {
  return {
    async of(userKey: number, wanted?: 'failed'): Promise<RequestLogRecord> {
      const own = { ...recent.read(userKey), isComplete: true };
      const [names, others = []] = await Promise.all([withinDeadline(keyNames(userKey)), peers?.ask(userKey)]);
      const labels = new Map(names.map(({ id, label }) => [id, label]));
      const logs = [own, ...others];
      const starts = logs.map(({ recordingSince }) => recordingSince);
      const requests = newestFirst(logs.flatMap((log) => log.requests));
      const failed = requests.filter(isFailed).slice(0, BOUNDS.requests);
      const successful = requests.filter((one) => wanted !== 'failed' && !isFailed(one)).slice(0, BOUNDS.requests);
      return {
        complete: logs.every(({ isComplete }) => isComplete),
        recordingSince: isoOrNull(starts.includes(null) ? null : latestOf(starts)),
        requests: newestFirst([...failed, ...successful]).map(
          ({ at, keyId, method, path, status, code, detail, cost, ms }) => ({
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
          }),
        ),
      };
    },

    /** Returns the requests in this process. Returns undefined unless another process of the service asks. */
    forPeer: ({ authorization }: IncomingHttpHeaders, userKey: number): ProcessLog | undefined =>
      peers?.isAsked(authorization, userKey) ? recent.read(userKey) : undefined,
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;
