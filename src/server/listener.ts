import Fastify, { type FastifyBaseLogger } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { createClientNames, nameClients, type TrustedProxies } from './client-address.ts';
import { createLingering } from './connections/lingering.ts';
import { createRequestBodies, TIMEOUTS } from './connections/request-body.ts';
import {
  createHttpServer,
  createPendingResponses,
  type HttpServerParts,
  REQUEST_OPTIONS,
} from './connections/server.ts';
import { parameterValidator } from './parameter-validator.ts';
import { createRequestTargets } from './request-target.ts';
import { createBrokenRequests } from './responses/broken-requests.ts';
import { type ProblemPage, respondToUnroutable } from './responses/problem-responses.ts';

type Options = Pick<HttpServerParts, 'fastPath'> & {
  page: ProblemPage;
  /** The prefix of the paths as they arrive, which a proxy may have changed. */
  receivedPath: string;
  trustProxy: TrustedProxies;
  logger: FastifyBaseLogger;
  timeouts?: typeof TIMEOUTS | undefined;
};

/** Opens the framework on the service's own HTTP server. The caller adds the hooks and routes. */
export function openListener({ page, receivedPath, trustProxy, logger, timeouts = TIMEOUTS, fastPath }: Options) {
  const { basePath, requests } = page;
  const linger = createLingering(timeouts.linger);
  const bodies = createRequestBodies(timeouts, linger);
  const clients = createClientNames(trustProxy);
  const pending = createPendingResponses();
  const takeTarget = createRequestTargets(basePath, receivedPath);
  const broken = createBrokenRequests({ pending, bodies, linger, timeouts, basePath, requests });
  const app = Fastify({
    serverFactory: createHttpServer({ timeouts, bodies, pending, clients, linger, takeTarget, fastPath }),
    ...REQUEST_OPTIONS,
    loggerInstance: logger,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: respondToUnroutable(page),
    clientErrorHandler: broken.reject,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  app.server.on('connect', broken.rejectTunnel);
  nameClients(app, clients);
  app.setValidatorCompiler(parameterValidator);
  app.setSerializerCompiler(serializerCompiler);
  return { app, bodies, pending };
}
