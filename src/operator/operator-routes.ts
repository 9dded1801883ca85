import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { auditLog } from '#operator/audit/audit-routes';
import type { RequestBodies } from '#server/connections/request-body';
import { assertSameSite } from '#server/cross-origin';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/responses/static-content';
import { userChanges } from './changes-routes.ts';
import type { AdminServices } from './open-operator.ts';
import { serviceState } from './service-routes.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { users } from './users/users-routes.ts';

/** The largest body, in bytes. It contains a fully escaped text of 500 characters. */
const MAX_BYTES = 16 * 1024;

/**
 * The operator API. Browsers never add the token to a request by themselves, so no request from another site's page can
 * be accepted. Such requests are rejected before the token is compared.
 */
export const operator: FastifyPluginAsyncZod<AdminServices & { bodies: RequestBodies }> = async (app, options) => {
  const { token, bodies, directory, exportJson, changes, tokens, audit } = options;
  const { sources, requests, messages, announcements, clock } = options;
  readJsonBodies(app, bodies, { limit: MAX_BYTES, callerOf: ({ client }) => client });
  neverStored(app);
  app.addHook('onRequest', async (request) => {
    assertSameSite(request.headers, []);
    token.check(request.headers.authorization, request.client);
  });
  app.register(users, { directory, exportJson });
  app.register(userChanges, { changes });
  app.register(tokenRoutes, { tokens });
  app.register(serviceState, { sources, requests, messages, announcements, clock });
  app.register(auditLog, { audit });
};
