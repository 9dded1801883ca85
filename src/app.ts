import type { FastifyBaseLogger } from 'fastify';
import Fastify, { LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Clock } from '#domain/clock';
import type { Currency } from '#domain/currency/currency';
import type { StatisticsSource } from '#domain/statistics/statistics';
import { createBrokenRequests } from '#http/connections/broken-requests';
import { drainOnClose } from '#http/connections/draining';
import { createLingering } from '#http/connections/lingering';
import { createPendingResponses } from '#http/connections/pending-responses';
import { createRequestBodies, TIMEOUTS, type Timeouts } from '#http/connections/request-body';
import { createHttpServer, KEEP_ALIVE } from '#http/connections/server';
import { describeInterface } from '#http/docs/openapi-route';
import { createBurst } from '#http/limits/burst';
import { createRateLimits } from '#http/limits/rate-limits';
import { limitRequests } from '#http/limits/request-limits';
import { serveConsole } from '#http/pages/console';
import { servePageAssets } from '#http/pages/page-assets';
import { serveStatus } from '#http/pages/serve-status';
import { createAdmission } from '#http/pipeline/admission';
import { allowOrigins, createCorsHeaders } from '#http/pipeline/cross-origin';
import { negotiateFormat } from '#http/pipeline/format';
import { guard } from '#http/pipeline/guard';
import { parameterValidator } from '#http/pipeline/parameters';
import { requestId, tellRequestId } from '#http/pipeline/request-id';
import { type RequestHistograms, recordRequests } from '#http/recording/request-histogram';
import { createAnswerLog, logRequests } from '#http/recording/request-log';
import { createCacheHeaders } from '#http/replies/answer-headers';
import { createFastPath } from '#http/replies/fast-path';
import { answerUnroutable, replyWithProblems } from '#http/replies/problem-replies';
import { createResponseWriter } from '#http/replies/response-head';
import { createAnswerWriter, createSend } from '#http/replies/write-answer';
import { health } from '#routes/health';
import { nodeProxy } from '#routes/node-proxy';
import { notices } from '#routes/notices';
import { priceHistory } from '#routes/price-history';
import { priceLatest } from '#routes/price-latest';
import { sample } from '#routes/sample';
import { sources } from '#routes/sources';
import { stats } from '#routes/stats';
import { tokens } from '#routes/tokens';
import { user } from '#routes/user';
import { userKeys } from '#routes/user-keys';
import { type MailServices, userMail } from '#routes/user-mail';
import type { Candles } from '#services/candles/candles';
import type { OpenCatalogue } from '#services/catalogue/catalogue';
import type { Rates } from '#services/currency/rates';
import type { Market } from '#services/market/market';
import type { Sample } from '#services/market/sample';
import type { Node } from '#services/node/node';
import type { Notices } from '#services/notices/notices';
import type { Allowance } from '#services/quota/allowance';
import type { Users } from '#services/quota/users';
import { createReadiness } from '#services/readiness';
import type { Statistics } from '#services/statistics/statistics';
import type { Settings } from './settings.ts';

export type AppDependencies = {
  settings: Settings;
  logger: FastifyBaseLogger;
  clock: Clock;
  users: Users;
  allowance: Allowance;
  /** What mails are needed for; not there where none are configured. */
  mail?: (MailServices & { notices: Notices }) | undefined;
  catalogue: OpenCatalogue;
  market: Market;
  /** A sample of the figures for everybody. */
  sample: () => Promise<Sample>;
  candles: Candles;
  /** What prices can be told in, and what is known of the rates. */
  currencies: { currencies: readonly Currency[]; rates: Pick<Rates, 'warnings'> };
  statistics: Statistics;
  /** The sources of statistics, and the figures each has of each chain. */
  statisticsSources: readonly StatisticsSource[];
  node: Node;
  checkDatabase: () => Promise<void>;
  /** Where answers are recorded, if metrics are served. */
  requests?: RequestHistograms | undefined;
  /** How long a request may take to arrive; as the contract has it where it is left out. */
  timeouts?: Timeouts;
  /** How long answers may still take once the app is closed, in ms; they are cut at once where it is left out. */
  drainMs?: number;
  /** The folder that the console was built into; none is served where it is left out. */
  consoleFolder?: string | undefined;
};

/** Which addresses before ours are proxies: those named, or the last so many. */
const trusted = (proxies: Settings['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false);

/** The table of contents: the checks that every request passes, then one line for each group of routes. */
export async function buildApp(dependencies: AppDependencies) {
  const {
    settings,
    logger,
    clock,
    users,
    allowance,
    mail,
    catalogue,
    market,
    candles,
    currencies: { currencies, rates },
    statistics,
    statisticsSources,
    node,
    requests,
    consoleFolder,
    drainMs,
    timeouts = TIMEOUTS,
  } = dependencies;
  const { basePath, corsOrigins } = settings;
  const burst = createBurst<number>(settings.burstPerSecond);
  const admission = createAdmission({ allowance, burst });
  const rateLimits = createRateLimits(settings.burstPerSecond);
  const linger = createLingering(timeouts.linger);
  const bodies = createRequestBodies(timeouts, linger);
  const pending = createPendingResponses();
  const broken = createBrokenRequests({ pending, bodies, linger, timeouts, basePath, requests });
  const corsHeaders = createCorsHeaders(corsOrigins);
  const cacheHeaders = createCacheHeaders(corsHeaders.vary);
  const writeResponse = createResponseWriter(KEEP_ALIVE);
  const write = createAnswerWriter({ allowance, rateLimits, cacheHeaders, corsHeaders, writeResponse });
  const logAnswer = createAnswerLog(logger);
  const log = settings.logRequests === 'all' ? logAnswer : undefined;
  const fastPath = createFastPath({ allowance, admission, catalogue, clock, write, requests, log });
  const send = createSend({ write, remember: fastPath.remember, now: clock.now });
  const app = Fastify({
    serverFactory: createHttpServer({ timeouts, bodies, pending, fastPath: fastPath.answer }),
    loggerInstance: logger,
    // One logger for all: what is logged of a request names its id, and most requests log nothing.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: answerUnroutable(basePath, requests),
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
  });

  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  const refuseUnknown = replyWithProblems(app, { basePath, rateLimits, now: clock.now });
  tellRequestId(app);
  limitRequests(app, bodies);
  logRequests(app, settings.logRequests, logAnswer);
  if (requests) recordRequests(app, requests);
  await allowOrigins(app, corsOrigins);
  refuseUnknown();
  servePageAssets(app, basePath);
  await describeInterface(app, settings);
  const { registration } = settings;
  const told = { basePath, registration, sendsMail: mail !== undefined };
  if (consoleFolder !== undefined) await serveConsole(app, told, consoleFolder);
  const readiness = createReadiness({
    checkDatabase: dependencies.checkDatabase,
    isStopping: () => stopping,
    services: [market, candles, rates, statistics, node],
  });
  serveStatus(app, { basePath, readiness, clock });

  await app.register(
    async (v1) => {
      negotiateFormat(v1);
      guard(v1, { allowance, rateLimits, admission, now: clock.now });
      v1.register(user, { prefix: '/user', users, allowance, admission, clock, mail, settings });
      v1.register(userKeys, { prefix: '/user', users, clock });
      v1.register(userMail, { prefix: '/user', mail, bodies, settings });
      v1.register(notices, { prefix: '/user', mail, bodies, settings });
      v1.register(tokens, { catalogue, market, clock });
      v1.register(sources);
      v1.register(sample, { sample: dependencies.sample, clock });
      v1.register(priceLatest, { prefix: '/prices/latest', catalogue, currencies, market, send });
      v1.register(stats, { prefix: '/prices/latest', statistics, sources: statisticsSources, send });
      v1.register(priceHistory, {
        ...{ prefix: '/prices/history', catalogue, currencies, market, candles, clock, send },
      });
      v1.register(nodeProxy, { prefix: '/node', node, explorer: settings.node.explorer, bodies });
    },
    { prefix: `${basePath}/v1` },
  );
  await app.register(health, { prefix: `${basePath}/health`, readiness });
  if (drainMs !== undefined) drainOnClose(app, pending, drainMs);
  return app;
}
