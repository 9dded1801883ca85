import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import { neverStored } from '#server/responses/static-content';
import { byOwnerKey } from './authority.ts';
import { type RegistrationForm, registrationForm, renewalLink } from './registration.ts';
import type { Users } from './users.ts';
import {
  type RegistrationPending,
  registrationPending,
  type UsageRecord,
  usageRecord,
  userExport,
  userOfKey,
  userRecord,
} from './users-records.ts';

const api = z.string().min(1, 'is empty').optional().meta({
  description: 'The key. Use this parameter only if you do not send the key in a header.',
  fix: 'one API key, sent in this parameter, in X-API-KEY or in Authorization',
});

const create = {
  tags: ['users'],
  summary: 'Register and get an API key',
  operationId: 'createUser',
  description:
    'Creates a user and returns the owner key. The key is returned only once. It expires at `validUntil`. ' +
    'The `Link` header links to the renewal call. An email address can be registered more than once. If the ' +
    'service verifies email addresses, the response is 202 without a key. The service then emails a one-time ' +
    'code that is valid for 24 hours. `POST /v1/user/verify` with this code creates the user and starts the ' +
    'plan.',
  querystring: registrationForm,
  response: { 201: userRecord, 202: registrationPending },
};

const data = {
  tags: ['users'],
  summary: 'Read the user of a key',
  operationId: 'getUser',
  description:
    "Accepts keys with any scope, even if the user's plan has expired. A key that has reached its own " +
    '`expiresAt` is rejected. `name` and `email` are null if the key does not have the `account` scope. If ' +
    '`api` is present, keys in headers are ignored.',
  querystring: z.object({ api }),
  response: { 200: userOfKey },
};

const by = z
  .enum(['key', 'path'], 'must be key or path')
  .optional()
  .meta({ description: 'Breaks the calls per date down by key or by path', fix: 'key or path', examples: ['key'] });

const usage = {
  tags: ['users'],
  summary: 'Read the usage of the current period',
  operationId: 'getUsage',
  description:
    'Returns the used and remaining calls of the current period, and the calls per day. This call is free. Calls that ' +
    'other processes served in the last few seconds may be missing. ' +
    'With `by`, the response also contains the calls of each key or path. Their sum is exactly the number of calls of ' +
    'each date. A call to `/mcp` counts for that path.',
  querystring: z.object({ by }),
  response: { 200: usageRecord },
};

const renew = {
  tags: ['users'],
  summary: 'Renew the plan',
  operationId: 'renewKey',
  description:
    'Extends the plan by one period. An active plan can be renewed at most one period ahead. If the plan has ' +
    'expired, a new period starts immediately. The allowance of the current period does not change.',
  response: { 200: userRecord },
};

const exportData = {
  tags: ['users'],
  summary: 'Read everything that is stored about the user',
  operationId: 'getExport',
  description:
    'Returns the stored data as JSON, without secrets and hashes. The members follow the columns of the database, so ' +
    'a later release may add more. Also available to an expired user. A user can run one export at a time.',
  response: { 200: userExport },
};

const erase = {
  tags: ['users'],
  summary: 'Delete the user and all keys',
  operationId: 'deleteUser',
  description:
    'Revokes all keys of the user. Erases the name, the email address, the labels of the keys, the notices and their ' +
    'settings. The record number and the call counts are kept. The process that handles the request rejects the keys ' +
    'immediately. All other processes reject them within 5 seconds.',
  response: { 204: z.undefined().meta({ description: 'The user was deleted' }) },
};

type Options = {
  users: Users;
  presentedKey: (request: FastifyRequest) => string;
};

type ReadOptions = Options & {
  usageOf: (caller: FastifyRequest['caller'], by: 'key' | 'path' | undefined) => Promise<UsageRecord>;
};

const owner = { cost: 0, scope: 'account' } as const;

export const userReads: FastifyPluginAsyncZod<ReadOptions> = async (app, { users, usageOf, presentedKey }) => {
  neverStored(app);

  const reading = { cost: 0, scope: 'any', allowSuspended: true } as const;
  app.get('/data', { schema: data, config: { ...reading, allowExpired: true, keyInQuery: true } }, async (request) =>
    users.recordFor(request.caller, request.query.api ?? presentedKey(request)),
  );

  app.get('/usage', { schema: usage, config: reading }, async ({ caller, query }) => usageOf(caller, query.by));

  const beginExport = createConcurrencyLimit<number>(
    1,
    () => new Problem('overloaded', 'Another export for this user is in progress.', { retryAfter: 1 }),
  );
  app.get(
    '/export',
    { schema: exportData, config: { ...owner, allowExpired: true, allowSuspended: true, problems: ['overloaded'] } },
    async ({ user: key }, reply) => {
      const end = beginExport(key);
      // The text is sent as it is. Parsing and validating it would block the event loop.
      const json = await users.exportJson(key).finally(end);
      return reply.type('application/json; charset=utf-8').send(json as never);
    },
  );
};

export type RegistrationOptions = {
  mail: { registration: { request(form: RegistrationForm): Promise<RegistrationPending> } } | undefined;
  settings: { basePath: string; registration: 'open' | 'verified' | 'closed' };
};

export const userChanges: FastifyPluginAsyncZod<Options & RegistrationOptions> = async (app, options) => {
  const { users, presentedKey, mail, settings } = options;
  neverStored(app);

  app.post(
    '/renew',
    { schema: renew, config: { ...owner, allowExpired: true, problems: ['renew_too_early'] } },
    async (request) => users.record(await users.renew(byOwnerKey(request.caller)), presentedKey(request)),
  );

  app.delete('', { schema: erase, config: owner }, async (request, reply) => {
    await users.erase(byOwnerKey(request.caller));
    // An erased user has no request log.
    request.keyId = undefined;
    return reply.code(204).send();
  });

  const registering = {
    open: true,
    sameSite: true,
    registers: true,
    perClient: 'registrations',
    problems: ['database_unavailable'],
    headers: ['Link'],
  } as const;
  app.post('/create', { schema: create, config: registering }, async ({ query }, reply) => {
    const verified = settings.registration === 'verified' ? mail : undefined;
    const registered = await (verified ? verified.registration.request(query) : users.create(query));
    return reply
      .code(verified ? 202 : 201)
      .header('link', renewalLink(settings.basePath))
      .send(registered);
  });
};
