import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { clientOf } from '#accounts/gate/limits';
import type { Clock } from '#core/clock';
import type { AuditLog } from '#operator/audit/audit';
import { auditLog } from '#operator/audit/routes-audit';
import type { RequestBodies } from '#server/connections/request-body';
import { refuseCrossSite } from '#server/cross-origin';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/replies/static-content';
import type { AdminToken } from './admin-token.ts';
import type { Announcements } from './announcements.ts';
import type { Messages } from './messages.ts';
import { userChanges } from './routes-changes.ts';
import { serviceState } from './routes-service.ts';
import { users } from './routes-users.ts';
import type { Sources } from './sources.ts';
import type { UserChanges } from './users/changes.ts';
import type { UserDirectory } from './users/directory.ts';

/** The largest body, in bytes. It contains a fully escaped text of 500 characters. */
const MAX_BYTES = 16 * 1024;

type Options = {
  token: AdminToken;
  directory: UserDirectory;
  exportJson: (key: number) => Promise<string>;
  changes: UserChanges;
  sources: Sources;
  messages: Messages;
  announcements: Announcements;
  audit: AuditLog;
  bodies: RequestBodies;
  clock: Clock;
};

/**
 * The operator API. Browsers never add the token to a request by themselves, so another site's page cannot make a
 * request that is accepted; such requests are rejected before the token is compared.
 */
export const operator: FastifyPluginAsyncZod<Options> = async (app, { token, bodies, ...options }) => {
  readJsonBodies(app, bodies, { limit: MAX_BYTES, callerOf: clientOf });
  neverStored(app);
  app.addHook('onRequest', async (request) => {
    refuseCrossSite(request.headers, []);
    token.check(request.headers.authorization, clientOf(request));
  });
  const { directory, exportJson, changes, sources, messages, announcements, audit, clock } = options;
  app.register(users, { directory, exportJson });
  app.register(userChanges, { changes });
  app.register(serviceState, { sources, messages, announcements, clock });
  app.register(auditLog, { audit });
};
