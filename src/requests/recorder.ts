import type { EndedRequest, Gate } from '#server/gate';
import { isFailed, type RecentRequests } from './recent-requests.ts';
import { shownDetail, shownPath } from './shown-text.ts';

/** Whether the console sent a request for itself. Any program can send this header, and hides only its own requests. */
const isOfConsole = ({ raw }: EndedRequest): boolean => raw.headers['quotient-console'] !== undefined;

/** Lists ended requests. A successful request of a user who does not read the log costs only a look-up. */
export const createRecorder = (
  recent: Pick<RecentRequests, 'isRecorded' | 'add'>,
  basePath: string,
): NonNullable<Gate['requestLog']> => ({
  note(request): void {
    const { user, keyId, config, route = '' } = request;
    if (user === undefined || keyId === undefined || !recent.isRecorded(user, request)) return;
    if (isOfConsole(request) || (config.isUnlisted && !isFailed(request))) return;
    const { at, method, raw, status, code, detail, cost, ms } = request;
    const { passesCalls, parameters = new Set<string>() } = config;
    // The name of a call that is passed on comes from a fixed list.
    const path = passesCalls ? route.slice(basePath.length) : shownPath(raw.url ?? '', basePath, parameters);
    const shown = detail === undefined ? undefined : shownDetail(detail);
    recent.add(user, { at, keyId, method, path, status, code, detail: shown, cost, ms });
  },
});
