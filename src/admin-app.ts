import { describeOperatorInterface } from '#docs/operator-openapi-routes';
import { operator } from '#operator/operator-routes';
import { createAccessLog } from '#server/access-log';
import { drainOnClose } from '#server/connections/drain';
import { checkRequests } from '#server/connections/request-head';
import { assertOwnHost } from '#server/cross-origin';
import { createFinish } from '#server/finish-request';
import { openListener } from '#server/listener';
import { respondWithProblems } from '#server/responses/problem-responses';
import { serveOperatorPage } from '#web/built-page';
import { servePageAssets } from '#web/page-assets';
import { problemHtml } from '#web/problem-html';
import type { Opened } from './open.ts';

type Options = Pick<Opened, 'logger' | 'failures' | 'clock'> & {
  settings: Pick<Opened['settings'], 'logRequests' | 'admin' | 'trustProxy'>;
  services: NonNullable<Opened['operator']['admin']>;
  /** The folder with the built page. Without it, no page is served. */
  pageFolder?: string | undefined;
  /** How long responses may still take after the app closes, in ms. */
  drainMs?: number;
};

/** The listener of the operator API, with the bounds of the public one. Without CORS, only its page reads it. */
export async function buildAdminApp({ settings, logger, failures, clock, services, pageFolder, drainMs }: Options) {
  const basePath = '';
  const log = createAccessLog({ which: settings.logRequests, logger, failures });
  const page = { basePath, page: problemHtml, log, requests: undefined, listing: '/openapi.json' };
  const { trustProxy } = settings;
  const listener = { page, receivedPath: basePath, trustProxy, logger };
  const { app, bodies, pending } = openListener(listener);
  respondWithProblems(app, page, { gate: { limitsOf: () => ({}) }, now: clock.now });
  checkRequests(app, bodies);
  app.addHook('onRequest', async ({ headers }) => assertOwnHost(headers, settings.admin?.host ?? ''));
  createFinish({ gate: { costOfRequest: () => 0 }, log: log.completed, now: clock.now }).listen(app);
  servePageAssets(app, basePath);
  await describeOperatorInterface(app);
  if (pageFolder !== undefined) await serveOperatorPage(app, pageFolder);
  await app.register(operator, { prefix: '/admin/v1', bodies, ...services });
  if (drainMs !== undefined) drainOnClose(app, pending, drainMs);
  return app;
}
