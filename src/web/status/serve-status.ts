import type { FastifyInstance } from 'fastify';
import { type Clock, iso, isoOrNull } from '#core/clock';
import { Problem } from '#core/problems';
import { VERSION } from '#core/version';
import { acceptedType } from '#server/responses/negotiation';
import { PAGE_SECURITY, withVary } from '#server/responses/static-content';
import type { Readiness } from '#status/health-routes';
import { dayStates } from '#status/incident';
import type { StatusReport } from '#status/open-status';
import { isImpaired } from '#upstream/component';
import { REASON_TEXTS } from './status-components.ts';
import { type Announcement, type Status, statusPage } from './status-page.ts';

type Now = { status: Status; report: StatusReport; announcement?: Announcement | undefined };

export function statusRecord({ status, report, announcement }: Now, at: number) {
  const { components, incidents } = report;
  const serving =
    components.some(isImpaired) || ('warnings' in status && status.warnings.length > 0) ? 'degraded' : 'operational';
  return {
    state: 'problem' in status ? 'down' : serving,
    checkedAt: iso(at),
    version: VERSION,
    announcement: announcement ? { text: announcement.text, until: iso(announcement.until) } : null,
    components: components.map(({ name, title, state, reason, dataAt }) => ({
      name,
      title,
      state,
      reason: reason ?? null,
      dataAt: isoOrNull(dataAt ?? null),
      days: dayStates(name, report, at),
    })),
    incidents: incidents.map(({ component, state, reason, startedAt, endedAt }) => ({
      component,
      state,
      reason,
      description: REASON_TEXTS[reason] ?? null,
      startedAt: iso(startedAt),
      endedAt: isoOrNull(endedAt),
    })),
  };
}

type Options = {
  basePath: string;
  readiness: Readiness;
  statusReport: () => StatusReport;
  announcement?: (() => Announcement | undefined) | undefined;
  clock: Clock;
};

/** Serves `/status`, as a page and as JSON, even if the service is not ready. */
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
    // The record itself contains the failure, so a program can read the response in the same way in each state.
    if (type === 'application/json') return reply.send(statusRecord(now, clock.now()));
    if ('problem' in status) reply.code(status.problem.status).headers(status.problem.headers);
    return reply.type('text/html; charset=utf-8').send(statusPage(basePath, now, clock.now()));
  });
}
