import type { FastifyInstance } from 'fastify';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import { acceptedType } from '#server/replies/negotiation';
import { PAGE_SECURITY } from '#server/replies/page-security';
import type { Readiness } from './readiness.ts';
import { type Status, statusPage } from './status-page.ts';

type Options = { basePath: string; readiness: Readiness; clock: Clock };

/** Serves `/status`: what `/health/ready` tells machines, for people; a page also when the service cannot serve. */
export function serveStatus(app: FastifyInstance, { basePath, readiness, clock }: Options): void {
  const look = (): Promise<Status> =>
    readiness().then(
      (warnings) => ({ warnings }),
      (problem) => {
        if (problem instanceof Problem) return { problem };
        throw problem;
      },
    );

  app.get(`${basePath}/status`, { schema: { hide: true } }, async (request, reply) => {
    acceptedType(request, ['text/html']);
    const status = await look();
    if ('problem' in status) reply.code(status.problem.status).headers(status.problem.headers);
    return reply
      .headers({ ...PAGE_SECURITY, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(statusPage(basePath, status, clock.now()));
  });
}
