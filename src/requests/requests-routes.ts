import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import { neverStored } from '#server/responses/static-content';
import { PEER_PATH } from './peers.ts';
import { BOUNDS } from './recent-requests.ts';
import type { RequestLog } from './request-log.ts';
import { requestLogRecord } from './requests-records.ts';

/** The maximum number of concurrent reads of the log by one user. Each read asks all processes. */
const AT_ONCE = 4;

const status = z
  .enum(['failed'], 'must be a supported status')
  .optional()
  .meta({
    description: 'With `failed`, only requests with a problem, with a status from 400, or whose client disconnected',
    fix: 'failed, or omit the parameter',
    wire: { type: 'string', enum: ['failed'], examples: ['failed'] },
  });

const list = {
  tags: ['users'],
  summary: 'List the last requests',
  operationId: 'listRequests',
  description:
    `Returns the last ${BOUNDS.requests} failed requests of the user, newest first, with all keys and from all processes ` +
    'of the service, with the detail of the problem and a link to its page. Also returns the last ' +
    `${BOUNDS.requests} successful requests, which the service records for an hour after each request to this endpoint. ` +
    'Requests to unknown paths and with unknown keys are not listed, and neither are successful requests to this ' +
    'endpoint and requests of the console. The processes keep the requests in memory only, and forget them when ' +
    'they stop. If the operator has turned off the request log, the response is 404. ' +
    'A user whose plan has expired can still call this endpoint.',
  querystring: z.object({ status }),
  response: { 200: requestLogRecord },
};

type Options = { log: RequestLog | undefined };

export const userRequests: FastifyPluginAsyncZod<Options> = async (app, { log }) => {
  neverStored(app);
  const begin = createConcurrencyLimit<number>(
    AT_ONCE,
    () => new Problem('overloaded', `${AT_ONCE} reads of the request log are in progress.`, { retryAfter: 1 }),
  );

  app.get(
    '/requests',
    {
      schema: list,
      config: { cost: 0, scope: 'account', allowExpired: true, isUnlisted: true, problems: ['not_found'] },
    },
    async ({ user, query }) => {
      if (!log) throw new Problem('not_found', 'The operator of this service has turned off the request log.');
      const end = begin(user);
      return log.of(user, query.status).finally(end);
    },
  );
};

/** Where other processes ask. A request without their token is rejected like one to an unknown path. */
export const peerRequests: FastifyPluginAsyncZod<Options> = async (app, { log }) => {
  neverStored(app);
  app.get(
    `${PEER_PATH}/:user`,
    {
      schema: { hide: true, params: z.object({ user: z.string() }) },
      config: { open: true },
    },
    async ({ params, headers }) => {
      const found = log?.forPeer(headers, Number(params.user));
      if (!found) throw new Problem('not_found', 'This path does not exist.');
      return found;
    },
  );
};
