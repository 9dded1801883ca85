import cors from '@fastify/cors';
import type { FastifyBaseLogger } from 'fastify';
import Fastify, { LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Clock } from './domain/clock.ts';
import type { StatisticsSource } from './domain/statistics.ts';
import { createBurst } from './http/burst.ts';
import { serveConsole } from './http/console.ts';
import { createDoor } from './http/door.ts';
import { createFreshness } from './http/freshness.ts';
import { guard } from './http/guard.ts';
import { describeInterface } from './http/openapi.ts';
import { parameterValidator } from './http/parameters.ts';
import { answerBrokenRequest, answerUnroutable, replyWithProblems } from './http/problem-replies.ts';
import { requestId, tellRequestId } from './http/request-id.ts';
import { limitRequests, REQUEST_OPTIONS } from './http/request-limits.ts';
import { logRequests } from './http/request-log.ts';
import { type RequestTally, tallyRequests } from './http/request-tally.ts';
import { createSending } from './http/sending.ts';
import { health } from './routes/health.ts';
import { nodeProxy } from './routes/node-proxy.ts';
import { priceHistory } from './routes/price-history.ts';
import { priceLatest } from './routes/price-latest.ts';
import { stats } from './routes/stats.ts';
import { tokens } from './routes/tokens.ts';
import { user } from './routes/user.ts';
import type { Allowance } from './services/allowance.ts';
import type { Market } from './services/market.ts';
import type { Node } from './services/node.ts';
import type { Statistics } from './services/statistics.ts';
import type { Users } from './services/users.ts';
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
  const { settings, logger, clock, users, allowance, market, statistics, requests } = parts;
  const { basePath, corsOrigins } = settings;
  const burst = createBurst(settings.burstPerSecond);
  const isOpen = settings.logRequests !== 'all';
  const variesByOrigin = corsOrigins.length > 0 && !corsOrigins.includes('*');
  const freshness = createFreshness({ variesByOrigin });
  const door = createDoor({ allowance, burst, freshness, clock, isOpen, requests });
  const send = createSending({ freshness, door, now: clock.now });
  const app = Fastify({
    serverFactory: door.server,
    loggerInstance: logger,
    // One logger for all: what is logged of a request names its id, and most requests log nothing.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    http: REQUEST_OPTIONS,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: answerUnroutable(basePath, requests),
    clientErrorHandler: answerBrokenRequest(basePath, () => requestId({ headers: {} }), requests),
    trustProxy: trusted(settings.trustProxy),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    door.close();
  });

  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  replyWithProblems(app, basePath);
  tellRequestId(app);
  limitRequests(app);
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
  await describeInterface(app, settings);
  if (parts.consoleFolder !== undefined) await serveConsole(app, basePath, parts.consoleFolder);

  await app.register(
    async (v1) => {
      guard(v1, { allowance, now: clock.now, burst });
      v1.register(user, { prefix: '/user', users, allowance, settings });
      v1.register(tokens, { market });
      v1.register(priceLatest, { prefix: '/prices/latest', market, send });
      v1.register(stats, { prefix: '/prices/latest', statistics, sources: parts.statisticsSources, send });
      v1.register(priceHistory, { prefix: '/prices/history', market, clock, send });
      v1.register(nodeProxy, { prefix: '/node', node: parts.node, explorer: settings.node.explorer });
    },
    { prefix: `${basePath}/v1` },
  );
  await app.register(health, {
    prefix: `${basePath}/health`,
    checkDatabase: parts.checkDatabase,
    isStopping: () => stopping,
    warnings: () => [...market.warnings(), ...statistics.warnings(), ...parts.node.warnings()],
  });
  return app;
}
