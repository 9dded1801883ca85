import type { FastifyInstance } from 'fastify';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import type { Capability } from '#server/capability';
import { acceptedType } from '#server/replies/negotiation';
import { PAGE_SECURITY, withVary } from '#server/replies/static-content';
import type { StatusReport } from '#status/open';
import type { Warning } from '#upstream/freshness';
import { type Announcement, type Status, statusPage } from './status-page.ts';
import { statusRecord } from './status-record.ts';

type Options = {
  basePath: string;
  readiness: Readiness;
  /** The components and incidents, from memory. */
  statusReport: () => StatusReport;
  /** The operator's message to all users; undefined if there is none. */
  announcement?: (() => Announcement | undefined) | undefined;
  clock: Clock;
};

/** Serves `/status`, as a page and as JSON, even if the service cannot serve. */
export function serveStatus(app: FastifyInstance, options: Options): void {
  const { basePath, readiness, statusReport, announcement, clock } = options;
  const check = (): Promise<Status> =>
    readiness().then(
      (warnings) => ({ warnings }),
      (problem) => {
        if (problem instanceof Problem) return { problem };
        throw problem;
      },
    );

  app.get(`${basePath}/status`, { schema: { hide: true } }, async (request, reply) => {
    const type = acceptedType(request, ['text/html', 'application/json']);
    const status = await check();
    const now = { status, report: statusReport(), announcement: announcement?.() };
    reply.headers({ ...PAGE_SECURITY, 'cache-control': 'no-store', vary: withVary(reply, 'Accept') });
    // The record states the failure itself, so that a program can read it in the same way in each state.
    if (type === 'application/json') return reply.send(statusRecord(now, clock.now()));
    if ('problem' in status) reply.code(status.problem.status).headers(status.problem.headers);
    return reply.type('text/html; charset=utf-8').send(statusPage(basePath, now, clock.now()));
  });
}

type Dependencies = {
  checkDatabase: () => Promise<void>;
  isStopping: () => boolean;
  capabilities: readonly Pick<Capability, 'warnings'>[];
};

/** Returns the readiness check, which throws a problem if the service is not ready and otherwise returns warnings. */
export function createReadiness({ checkDatabase, isStopping, capabilities }: Dependencies) {
  return async function readiness(): Promise<Warning[]> {
    if (isStopping())
      throw new Problem('overloaded', 'This process is stopping and accepts no new requests.', { retryAfter: 1 });
    await checkDatabase();
    return capabilities.flatMap(({ warnings }) => warnings?.() ?? []);
  };
}

export type Readiness = ReturnType<typeof createReadiness>;
