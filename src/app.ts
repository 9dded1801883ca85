import cors from '@fastify/cors';
import type { FastifyBaseLogger } from 'fastify';
import Fastify, { LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Clock } from '#domain/clock';
import type { StatisticsSource } from '#domain/statistics/statistics';
import { createBrokenRequests } from '#http/connections/broken-requests';
import { drainOnClose } from '#http/connections/draining';
import { createLingering } from '#http/connections/lingering';
import { createOwedAnswers } from '#http/connections/owed-answers';
import { createRequestBodies, PATIENCE, type Patience } from '#http/connections/request-body';
import { serveConsole } from '#http/docs/console';
import { describeInterface } from '#http/docs/openapi';
import { type RequestTally, tallyRequests } from '#http/metrics/request-histogram';
import { logRequests } from '#http/metrics/request-log';
import { createBurst } from '#http/pipeline/burst';
import { guard } from '#http/pipeline/guard';
import { parameterValidator } from '#http/pipeline/parameters';
import { requestId, tellRequestId } from '#http/pipeline/request-id';
import { limitRequests, requestOptions } from '#http/pipeline/request-limits';
import { createFreshness } from '#http/replies/cache-headers';
import { createDoor } from '#http/replies/fast-path';
import { answerUnroutable, replyWithProblems } from '#http/replies/problem-replies';
import { createSending } from '#http/replies/write-answer';
import { health } from '#routes/health';
import { nodeProxy } from '#routes/node-proxy';
import { priceHistory } from '#routes/price-history';
import { priceLatest } from '#routes/price-latest';
import { stats } from '#routes/stats';
import { tokens } from '#routes/tokens';
import { user } from '#routes/user';
import type { Market } from '#services/market/market';
import type { Node } from '#services/node/node';
import type { Allowance } from '#services/quota/allowance';
import type { Users } from '#services/quota/users';
import type { Statistics } from '#services/statistics/statistics';
import type { Settings } from './settings.ts';

export type AppParts = {
  settings: Settings;
  logger: FastifyBaseLogger;
  clock: Clock;
  users: Users;
  allowance: Allowance;
  market: Market;
  statistics: Statistics;
  /** Whatever tells statistics, and what it tells of each chain. */
  statisticsSources: readonly StatisticsSource[];
  node: Node;
  checkDatabase: () => Promise<void>;
  /** Told of each answer, where somebody is to be told of them. */
  requests?: RequestTally | undefined;
  /** How long a request may take to arrive; as the contract has it where it is left out. */
  patience?: Patience;
  /** How long answers may still take once the app is closed, in ms; they are cut at once where it is left out. */
  drainMs?: number;
  /** The folder that the console was built into; none is served where it is left out. */
  consoleFolder?: string | undefined;
};

/** Headers that a page of another origin may read. */
const EXPOSED = [
  'Age',
  'Allow',
  'Cache-Status',
  'ETag',
  'Last-Modified',
  'Link',
  'Quotient-Gaps',
  'Quotient-Source',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vary',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** What a page of another origin may do. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];

/** How long a browser may keep what a preflight told it, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

/** Which addresses before ours are proxies: those named, or the last so many. */
const trusted = (proxies: Settings['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false);

/** The table of contents: the checks every request passes, then one line for each room of the house. */
export async function buildApp(parts: AppParts) {
  const {
    settings,
    logger,
    clock,
    users,
    allowance,
    market,
    statistics,
    requests,
    patience = PATIENCE,
  } = parts;
  const { basePath, corsOrigins } = settings;
  const burst = createBurst<number>(settings.burstPerSecond);
  const isOpen = settings.logRequests !== 'all';
  const variesByOrigin = corsOrigins.length > 0 && !corsOrigins.includes('*');
  const freshness = createFreshness({ variesByOrigin });
  const linger = createLingering(patience.linger);
  const bodies = createRequestBodies(patience, linger);
  const answers = createOwedAnswers();
  const broken = createBrokenRequests({ answers, bodies, linger, patience, basePath, requests });
  const door = createDoor({ allowance, burst, freshness, clock, bodies, answers, isOpen, requests });
  const send = createSending({ freshness, door, now: clock.now });
  const app = Fastify({
    serverFactory: door.server,
    loggerInstance: logger,
    // One logger for all: what is logged of a request names its id, and most requests log nothing.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    http: requestOptions(patience),
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
    door.close();
  });

  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  const refuseUnknown = replyWithProblems(app, basePath);
  tellRequestId(app);
  limitRequests(app, bodies);
  logRequests(app, settings.logRequests);
  if (requests) tallyRequests(app, requests);
  if (corsOrigins.length > 0) {
    const origin = corsOrigins.includes('*') ? '*' : [...corsOrigins];
    await app.register(cors, {
      origin,
      methods: METHODS,
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_MAX_AGE,
    });
  }
  refuseUnknown();
  await describeInterface(app, settings);
  if (parts.consoleFolder !== undefined) await serveConsole(app, basePath, parts.consoleFolder);

  await app.register(
    async (v1) => {
      guard(v1, { allowance, now: clock.now, burst });
      v1.register(user, { prefix: '/user', users, allowance, burst, clock, settings });
      v1.register(tokens, { market });
      v1.register(priceLatest, { prefix: '/prices/latest', market, send });
      v1.register(stats, { prefix: '/prices/latest', statistics, sources: parts.statisticsSources, send });
      v1.register(priceHistory, { prefix: '/prices/history', market, clock, send });
      v1.register(nodeProxy, { prefix: '/node', node: parts.node, explorer: settings.node.explorer, bodies });
    },
    { prefix: `${basePath}/v1` },
  );
  await app.register(health, {
    prefix: `${basePath}/health`,
    checkDatabase: parts.checkDatabase,
    isStopping: () => stopping,
    warnings: () => [...market.warnings(), ...statistics.warnings(), ...parts.node.warnings()],
  });
  if (parts.drainMs !== undefined) drainOnClose(app, answers, parts.drainMs);
  return app;
}
