import { describeInterface } from '#docs/openapi-routes';
import { guard } from '#gate/guard';
import type { OpenGate } from '#gate/open-gate';
import { createAccessLog } from '#server/access-log';
import { drainOnClose } from '#server/connections/drain';
import type { Timeouts } from '#server/connections/request-body';
import { checkRequests } from '#server/connections/request-head';
import { allowOrigins, createCorsHeaders } from '#server/cross-origin';
import { createFinish } from '#server/finish-request';
import { openListener } from '#server/listener';
import { traceRoutes } from '#server/request-trace';
import { createFastPath } from '#server/responses/fast-path';
import { negotiateFormat } from '#server/responses/negotiation';
import { createOpenStreams } from '#server/responses/open-streams';
import { createProblemReport, respondWithProblems } from '#server/responses/problem-responses';
import { createCacheHeaders } from '#server/responses/response-headers';
import type { StreamTimes } from '#server/responses/stream-review';
import { createDataResponseWriter, createSendBytes } from '#server/responses/write-response';
import { createReadiness, health } from '#status/health-routes';
import { serveConsole } from '#web/built-page';
import { serveClientPackage } from '#web/client-package';
import { servePageAssets } from '#web/page-assets';
import { problemHtml } from '#web/problem-html';
import { serveStatus } from '#web/status/serve-status';
import type { Opened } from './open.ts';

type Options = Omit<Opened, 'accounts' | 'metrics' | 'operator' | 'statistics'> & {
  accounts: Pick<OpenGate, 'allowance' | 'gate'>;
  timeouts?: Timeouts;
  streamTimes?: StreamTimes;
  /** How long responses may still take after the app closes, in ms. By default, they are cut off immediately. */
  drainMs?: number;
  /** The folder of the built console, and the file of the packed client. Undefined if they are not served. */
  consoleFolder?: string | undefined;
  clientFile?: string | undefined;
};

export async function buildApp(options: Options) {
  const { settings, logger, failures, clock, accounts, catalogue, capabilities, checkDatabase } = options;
  const { allowance, gate } = accounts;
  const { statusReport, announcement, etagKey, requests, timeouts, drainMs, consoleFolder, clientFile } = options;
  const { streamFigures: figures, streamTimes: times } = options;
  const { basePath, receivedPath, corsOrigins, registration } = settings;
  const sendsMail = settings.mail !== undefined;
  const corsHeaders = createCorsHeaders(corsOrigins);
  const cacheHeaders = createCacheHeaders({ varyByOrigin: corsHeaders.vary, etagKey });
  const write = createDataResponseWriter({ gate, cacheHeaders, corsHeaders });
  const log = createAccessLog({ which: settings.logRequests, logger, failures });
  const ends = createFinish({ gate, requests, log: log.completed, now: clock.now });
  const fastPath = createFastPath({ gate, catalogue, clock, write, finish: ends.finish, requests });
  const page = { basePath, page: problemHtml, log, requests, listing: `${basePath}/docs` };
  const sendBytes = createSendBytes(corsHeaders, clock.now);
  const streams = createOpenStreams({
    ...{ gate, corsHeaders, clock, basePath, figures, log, requests },
    ...(times && { times }),
  });
  const { trustProxy } = settings;
  const listener = { page, receivedPath, trustProxy, logger, timeouts, fastPath };
  const { app, bodies, pending } = openListener(listener);
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    fastPath.close();
    await streams.close();
  });

  traceRoutes(app);
  respondWithProblems(app, page, { gate, now: clock.now });
  checkRequests(app, bodies);
  ends.listen(app);
  await allowOrigins(app, corsOrigins);
  servePageAssets(app, basePath);
  await describeInterface(app, settings);
  if (consoleFolder !== undefined) await serveConsole(app, { basePath, registration, sendsMail }, consoleFolder);
  if (clientFile !== undefined) serveClientPackage(app, basePath, clientFile);
  const readiness = createReadiness({ checkDatabase, isStopping: () => stopping, capabilities });
  serveStatus(app, { basePath, readiness, statusReport, announcement, clock });

  await app.register(
    async (api) => {
      negotiateFormat(api);
      guard(api, { allowance, gate, finish: ends, clock, settings, sendsMail });
      const shared = { bodies, send: fastPath.send, sendBytes, streams, gate, report: createProblemReport(page) };
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
