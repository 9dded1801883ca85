import type { FastifyInstance } from 'fastify';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import type { Capability } from '#server/capability';
import { acceptedType } from '#server/replies/negotiation';
import { PAGE_SECURITY } from '#server/replies/static-content';
import type { Warning } from '#upstream/freshness';
import { type Status, statusPage } from './status-page.ts';

type Options = {
  basePath: string;
  readiness: Readiness;
  /** The operator's message to all users; undefined if there is none. `until` in Unix ms. */
  announcement?: (() => { text: string; until: number } | undefined) | undefined;
  clock: Clock;
};

/** Serves `/status`, the page that corresponds to `/health/ready`, even if the service cannot serve. */
export function serveStatus(app: FastifyInstance, { basePath, readiness, announcement, clock }: Options): void {
  const check = (): Promise<Status> =>
    readiness().then(
      (warnings) => ({ warnings }),
      (problem) => {
        if (problem instanceof Problem) return { problem };
        throw problem;
      },
    );

  app.get(`${basePath}/status`, { schema: { hide: true } }, async (request, reply) => {
    acceptedType(request, ['text/html']);
    const status = await check();
    if ('problem' in status) reply.code(status.problem.status).headers(status.problem.headers);
    return reply
      .headers({ ...PAGE_SECURITY, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(statusPage(basePath, status, clock.now(), announcement?.()));
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
