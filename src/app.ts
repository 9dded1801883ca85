import type { FastifyBaseLogger } from 'fastify';
import Fastify, { LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Allowance } from '#accounts/gate/allowance';
import { createGate } from '#accounts/gate/gate';
import { guard } from '#accounts/gate/guard';
import { user } from '#accounts/users/routes';
import { userKeys } from '#accounts/users/routes-keys';
import type { Users } from '#accounts/users/users';
import type { OpenCatalogue } from '#catalogue/open';
import { tokens } from '#catalogue/routes';
import type { Clock } from '#core/clock';
import { serveConsole } from '#docs/pages/console';
import { servePageAssets } from '#docs/pages/page-assets';
import { problemHtml } from '#docs/pages/problem-html';
import { describeInterface } from '#docs/routes-openapi';
import { sources } from '#docs/routes-sources';
import { createReadiness } from '#docs/status/readiness';
import { health } from '#docs/status/routes-health';
import { serveStatus } from '#docs/status/serve-status';
import type { Node } from '#node/node';
import { nodeProxy } from '#node/routes';
import { type MailServices, userMail } from '#notifications/mail/routes';
import type { Notices } from '#notifications/notices/notices';
import { notices } from '#notifications/notices/routes';
import type { CandleAvailability } from '#prices/candles/candle-availability';
import type { Candles } from '#prices/candles/candles';
import type { Currency } from '#prices/currencies/currency';
import type { Rates } from '#prices/currencies/rates';
import { priceHistory } from '#prices/history/routes';
import { priceLatest } from '#prices/latest/routes';
import type { Market } from '#prices/market';
import { sample } from '#prices/market-sample/routes';
import type { Sample } from '#prices/market-sample/sample';
import { drainOnClose } from '#server/connections/draining';
import { createLingering } from '#server/connections/lingering';
import { createPendingResponses } from '#server/connections/pending-responses';
import { createRequestBodies, TIMEOUTS, type Timeouts } from '#server/connections/request-body';
import { createHttpServer, KEEP_ALIVE } from '#server/connections/server';
import { limitRequests } from '#server/limits/request-limits';
import { allowOrigins, createCorsHeaders } from '#server/pipeline/cross-origin';
import { parameterValidator } from '#server/pipeline/parameter-validator';
import { requestId, tellRequestId } from '#server/pipeline/request-id';
import { type RequestHistograms, recordRequests } from '#server/recording/request-histogram';
import { createRequestLog } from '#server/recording/request-log';
import { createCacheHeaders } from '#server/replies/answer-headers';
import { createBrokenRequests } from '#server/replies/broken-requests';
import { createFastPath } from '#server/replies/fast-path';
import { negotiateFormat } from '#server/replies/format';
import { answerUnroutable, replyWithProblems } from '#server/replies/problem-replies';
import { createResponseWriter } from '#server/replies/response-head';
import { createAnswerWriter, createSend } from '#server/replies/write-answer';
import { stats } from '#statistics/routes';
import type { Statistics } from '#statistics/statistics';
import type { StatisticsSource } from '#statistics/statistics-sources';
import type { FailureLog } from '#upstream/failure-log';
import type { Settings } from './settings.ts';

export type AppDependencies = {
  settings: Settings;
  logger: FastifyBaseLogger;
  /** What logs the failures of requests. */
  failures: FailureLog;
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
  candleAvailability: CandleAvailability;
  /** What prices can be told in, and what is known of the rates. */
  currencies: { currencies: readonly Currency[]; rates: Pick<Rates, 'warnings'> };
  statistics: Statistics;
  /** The sources of statistics, and the figures each has of each chain. */
  statisticsSources: readonly StatisticsSource[];
  node: Node;
  checkDatabase: () => Promise<void>;
  /** Makes the validators of priced answers: the same in all processes, or a client pays for what it has. */
  etagKey: string;
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
    failures,
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
  const gate = createGate(allowance, settings.burstPerSecond);
  const linger = createLingering(timeouts.linger);
  const bodies = createRequestBodies(timeouts, linger);
  const pending = createPendingResponses();
  const broken = createBrokenRequests({ pending, bodies, linger, timeouts, basePath, requests });
  const corsHeaders = createCorsHeaders(corsOrigins);
  const cacheHeaders = createCacheHeaders({ varyByOrigin: corsHeaders.vary, etagKey: dependencies.etagKey });
  const writeResponse = createResponseWriter(KEEP_ALIVE);
  const write = createAnswerWriter({ gate, cacheHeaders, corsHeaders, writeResponse });
  const log = createRequestLog({ which: settings.logRequests, logger, failures });
  const fastPath = createFastPath({
    ...{ gate, catalogue, clock, write, requests, log: log.answered },
  });
  const page = { basePath, page: problemHtml, log };
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
    frameworkErrors: answerUnroutable(page, requests),
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
  const refuseUnknown = replyWithProblems(app, page, { gate, now: clock.now });
  tellRequestId(app);
  limitRequests(app, bodies);
  log.listen(app);
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
      guard(v1, { allowance, gate, clock, settings, sendsMail: mail !== undefined });
      v1.register(user, { prefix: '/user', users, allowance, mail, settings });
      v1.register(userKeys, { prefix: '/user', users, clock });
      v1.register(userMail, { prefix: '/user', mail, bodies, settings });
      v1.register(notices, { prefix: '/user', mail, bodies, settings });
      v1.register(tokens, { catalogue, market, firstCandles: dependencies.candleAvailability, clock });
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
