import Fastify, { type FastifyBaseLogger } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { guard } from '#accounts/gate/guard';
import type { Accounts } from '#accounts/open';
import type { Clock } from '#core/clock';
import { serveConsole } from '#docs/pages/console';
import { servePageAssets } from '#docs/pages/page-assets';
import { problemHtml } from '#docs/pages/problem-html';
import { health } from '#docs/routes-health';
import { describeInterface } from '#docs/routes-openapi';
import { createReadiness, serveStatus } from '#docs/status/serve-status';
import type { Capability } from '#server/capability';
import { drainOnClose } from '#server/connections/drain';
import { createLingering } from '#server/connections/lingering';
import { createRequestBodies, TIMEOUTS, type Timeouts } from '#server/connections/request-body';
import { checkRequests } from '#server/connections/request-head';
import { createHttpServer, createPendingResponses, KEEP_ALIVE, REQUEST_OPTIONS } from '#server/connections/server';
import { allowOrigins, createCorsHeaders } from '#server/cross-origin';
import { parameterValidator } from '#server/parameter-validator';
import { createCacheHeaders } from '#server/replies/answer-headers';
import { createBrokenRequests } from '#server/replies/broken-requests';
import { newStreamFigures, type StreamFigures } from '#server/replies/event-stream';
import { createFastPath } from '#server/replies/fast-path';
import { negotiateFormat } from '#server/replies/negotiation';
import { createOpenStreams } from '#server/replies/open-streams';
import { answerUnroutable, createProblemReport, replyWithProblems } from '#server/replies/problem-replies';
import type { StreamTimes } from '#server/replies/stream-review';
import { createAnswerWriter, createSend } from '#server/replies/write-answer';
import { createRequestLog } from '#server/request-log';
import { type RequestHistograms, recordRequests } from '#server/request-metrics';
import { traceRoutes } from '#server/request-trace';
import type { StatusReport } from '#status/open';
import type { FailureLog } from '#upstream/failure-log';
import type { Settings } from './settings.ts';

type Options = {
  settings: Settings;
  logger: FastifyBaseLogger;
  failures: FailureLog;
  clock: Clock;
  accounts: Pick<Accounts, 'allowance' | 'gate'>;
  /** The generation changes when a path or parameter may refer to something else. */
  catalogue: { generation(): number };
  capabilities: readonly Capability[];
  checkDatabase: () => Promise<void>;
  /** The components and incidents, for `/status`. */
  statusReport: () => StatusReport;
  /** The operator's message to all users, for `/status`. */
  announcement?: () => { text: string; until: number } | undefined;
  /**
   * The key for the ETags of priced responses. If processes had different keys, clients would pay for unchanged data.
   */
  etagKey: string;
  requests?: RequestHistograms | undefined;
  streamFigures?: StreamFigures;
  timeouts?: Timeouts;
  streamTimes?: StreamTimes;
  /** How long responses may still take after the app closes, in ms. By default, they are cut off immediately. */
  drainMs?: number;
  /** The folder of the built console. If undefined, no console is served. */
  consoleFolder?: string | undefined;
};

/** A list of addresses, or a number of hops. */
const trusted = (proxies: Settings['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false);

export async function buildApp(options: Options) {
  const { settings, logger, failures, clock, accounts, catalogue, capabilities, checkDatabase } = options;
  const { allowance, gate } = accounts;
  const { statusReport, announcement, etagKey, requests, timeouts = TIMEOUTS, drainMs, consoleFolder } = options;
  const { streamFigures: figures = newStreamFigures(), streamTimes: times } = options;
  const { basePath, corsOrigins, registration } = settings;
  const sendsMail = settings.mail !== undefined;
  const linger = createLingering(timeouts.linger);
  const bodies = createRequestBodies(timeouts, linger);
  const pending = createPendingResponses();
  const broken = createBrokenRequests({ pending, bodies, linger, timeouts, basePath, requests });
  const corsHeaders = createCorsHeaders(corsOrigins);
  const cacheHeaders = createCacheHeaders({ varyByOrigin: corsHeaders.vary, etagKey });
  const write = createAnswerWriter({ gate, cacheHeaders, corsHeaders, keepAliveMs: KEEP_ALIVE });
  const log = createRequestLog({ which: settings.logRequests, logger, failures });
  const fastPath = createFastPath({ gate, catalogue, clock, write, requests, log: log.answered });
  const page = { basePath, page: problemHtml, log, requests, listing: `${basePath}/docs` };
  const send = createSend({ write, remember: fastPath.remember, now: clock.now });
  const streams = createOpenStreams({
    ...{ gate, corsHeaders, clock, basePath, figures, log, requests },
    ...(times && { times }),
  });
  const app = Fastify({
    serverFactory: createHttpServer({ timeouts, bodies, pending, fastPath: fastPath.answer }),
    ...REQUEST_OPTIONS,
    loggerInstance: logger,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: answerUnroutable(page),
    clientErrorHandler: broken.refuse,
    trustProxy: trusted(settings.trustProxy),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  app.server.on('connect', broken.refuseTunnel);
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    fastPath.close();
    await streams.close();
  });

  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  traceRoutes(app);
  replyWithProblems(app, page, { gate, now: clock.now });
  checkRequests(app, bodies);
  log.listen(app);
  if (requests) recordRequests(app, requests);
  await allowOrigins(app, corsOrigins);
  servePageAssets(app, basePath);
  await describeInterface(app, settings);
  if (consoleFolder !== undefined) await serveConsole(app, { basePath, registration, sendsMail }, consoleFolder);
  const readiness = createReadiness({ checkDatabase, isStopping: () => stopping, capabilities });
  serveStatus(app, { basePath, readiness, statusReport, announcement, clock });

  await app.register(
    async (api) => {
      negotiateFormat(api);
      guard(api, { allowance, gate, clock, settings, sendsMail });
      const shared = { bodies, send, streams, gate, report: createProblemReport(page) };
      for (const { routes, rootRoutes } of capabilities) {
        if (routes) api.register(routes, { prefix: '/v1', ...shared });
        if (rootRoutes) api.register(rootRoutes, shared);
      }
    },
    { prefix: basePath },
  );
  await app.register(health, { prefix: `${basePath}/health`, readiness });
  if (drainMs !== undefined) drainOnClose(app, pending, drainMs);
  return app;
}
