import Fastify, { type FastifyBaseLogger } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Clock } from '#core/clock';
import { serveOperatorPage } from '#docs/pages/operator-page';
import { servePageAssets } from '#docs/pages/page-assets';
import { problemHtml } from '#docs/pages/problem-html';
import { describeOperatorInterface } from '#docs/routes-operator';
import type { OperatorCapability } from '#operator/open';
import { operator } from '#operator/routes';
import { drainOnClose } from '#server/connections/drain';
import { createLingering } from '#server/connections/lingering';
import { createRequestBodies, TIMEOUTS } from '#server/connections/request-body';
import { checkRequests } from '#server/connections/request-head';
import { createHttpServer, createPendingResponses, REQUEST_OPTIONS } from '#server/connections/server';
import { refuseForeignHost } from '#server/cross-origin';
import { parameterValidator } from '#server/parameter-validator';
import { createBrokenRequests } from '#server/replies/broken-requests';
import { answerUnroutable, replyWithProblems } from '#server/replies/problem-replies';
import { createRequestLog } from '#server/request-log';
import type { FailureLog } from '#upstream/failure-log';
import type { Settings } from './settings.ts';

type Options = {
  settings: Pick<Settings, 'logRequests' | 'admin'>;
  logger: FastifyBaseLogger;
  failures: FailureLog;
  clock: Clock;
  services: NonNullable<OperatorCapability['admin']>;
  /** The folder with the built page. Without it, no page is served. */
  pageFolder?: string | undefined;
  /** How long responses may still take after the app closes, in ms. */
  drainMs?: number;
};

/**
 * The listener of the operator API. It has the same bounds as the public one, and no CORS: only its own page can read its
 * responses. It trusts no proxy, because a client could then choose the address whose wrong tokens are counted.
 */
export async function buildAdminApp({ settings, logger, failures, clock, services, pageFolder, drainMs }: Options) {
  const basePath = '';
  const linger = createLingering(TIMEOUTS.linger);
  const bodies = createRequestBodies(TIMEOUTS, linger);
  const pending = createPendingResponses();
  const broken = createBrokenRequests({ pending, bodies, linger, timeouts: TIMEOUTS, basePath });
  const log = createRequestLog({ which: settings.logRequests, logger, failures });
  const page = { basePath, page: problemHtml, log, requests: undefined, listing: '/openapi.json' };
  const app = Fastify({
    serverFactory: createHttpServer({ timeouts: TIMEOUTS, bodies, pending, fastPath: () => false }),
    ...REQUEST_OPTIONS,
    loggerInstance: logger,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: answerUnroutable(page),
    clientErrorHandler: broken.refuse,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  app.server.on('connect', broken.refuseTunnel);
  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  replyWithProblems(app, page, { gate: { limitsOf: () => ({}) }, now: clock.now });
  checkRequests(app, bodies);
  app.addHook('onRequest', async ({ headers }) => refuseForeignHost(headers, settings.admin?.host ?? ''));
  log.listen(app);
  servePageAssets(app, basePath);
  await describeOperatorInterface(app);
  if (pageFolder !== undefined) await serveOperatorPage(app, pageFolder);
  await app.register(operator, { prefix: '/admin/v1', bodies, ...services });
  if (drainMs !== undefined) drainOnClose(app, pending, drainMs);
  return app;
}
