import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Allowance } from '#accounts/gate/allowance';
import { presentedKey } from '#accounts/gate/presented-key';
import { byOwnerKey, GRACE_SECONDS, MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import { type RegistrationPending, registrationPending, usageRecord, userOfKey, userRecord } from '#accounts/records';
import { type RegistrationForm, registrationForm, renewalLink } from '#accounts/users/registration';
import { neverStored } from '#server/replies/static-content';
import type { Users } from './users.ts';

const api = z.string().min(1, 'is empty').optional().meta({
  description: 'The key, if it is not sent in the X-API-KEY or Authorization header',
  fix: 'one API key here, in X-API-KEY or in Authorization',
});

const graceSeconds = z
  .string()
  .regex(/^\d{1,6}$/, `must be an integer from 0 to ${GRACE_SECONDS.max}`)
  .transform(Number)
  .refine((value) => value <= GRACE_SECONDS.max, `must be an integer from 0 to ${GRACE_SECONDS.max}`)
  .default(GRACE_SECONDS.default)
  .meta({
    description: 'How long the old key remains valid for reading, in seconds',
    fix: `an integer from 0 to ${GRACE_SECONDS.max}`,
    wire: {
      type: 'integer',
      minimum: 0,
      maximum: GRACE_SECONDS.max,
      default: GRACE_SECONDS.default,
      examples: [300],
    },
  });

const create = {
  tags: ['users'],
  summary: 'Register and get an API key',
  operationId: 'createUser',
  description:
    'The key is returned once and cannot be read again. It expires at `validUntil`; the `Link` header points to ' +
    'its renewal. An email address can be registered more than once. A service that verifies addresses responds ' +
    'with 202 and without a key, and emails a one-time code that is valid for 24 hours. `POST /v1/user/verify` ' +
    'with this code registers the user and starts the term.',
  querystring: registrationForm,
  response: { 201: userRecord, 202: registrationPending },
};

const data = {
  tags: ['users'],
  summary: 'Read the user of a key',
  operationId: 'getUser',
  description:
    'Accepts keys with any scope and keys of an expired user, but no key after its own `expiresAt`. `name` and `email` ' +
    'are null for a key without the `account` scope. If `api` is present, the headers are ignored.',
  querystring: z.object({ api }),
  response: { 200: userOfKey },
};

const usage = {
  tags: ['users'],
  summary: 'Read how much of the allowance is used',
  operationId: 'getUsage',
  description: 'Free of charge. Calls made in the last few seconds through other processes may not be counted yet.',
  response: { 200: usageRecord },
};

const rotate = {
  tags: ['users'],
  summary: 'Replace the owner key',
  operationId: 'rotateKey',
  description:
    'Usage, plan and validity carry over. The old key remains valid for the grace period, for reading only. ' +
    'Keys with other scopes are not affected; delete them individually. A user can have up to ' +
    `${MAX_KEYS_PER_USER} active keys.`,
  querystring: z.object({ graceSeconds }),
  response: { 200: userRecord },
};

const renew = {
  tags: ['users'],
  summary: 'Renew the plan',
  operationId: 'renewKey',
  description:
    'Adds one period for an active user, up to one period ahead of the current one. For an expired user, starts a ' +
    "new period immediately. The current period's allowance is never refilled early.",
  response: { 200: userRecord },
};

const erase = {
  tags: ['users'],
  summary: 'Delete the user and all keys',
  operationId: 'deleteUser',
  description:
    'Revokes all keys of the user: immediately in the process that handles the request, and within 5 seconds in all ' +
    'others. Erases the name and the email address.',
  response: { 204: z.undefined().meta({ description: 'Erased' }) },
};

export type UserOptions = {
  users: Users;
  allowance: Allowance;
  mail: { registration: { request(form: RegistrationForm): Promise<RegistrationPending> } } | undefined;
  settings: { basePath: string; registration: 'open' | 'verified' | 'closed' };
};

export const user: FastifyPluginAsyncZod<UserOptions> = async (app, { users, allowance, mail, settings }) => {
  const owner = { cost: 0, scope: 'account' } as const;

  neverStored(app);

  const reading = { cost: 0, scope: 'any' } as const;
  app.get('/data', { schema: data, config: { ...reading, allowExpired: true, keyInQuery: true } }, async (request) =>
    users.recordFor(request.caller, request.query.api ?? presentedKey(request)),
  );

  app.get('/usage', { schema: usage, config: reading }, async ({ caller }) => allowance.usage(caller));

  app.post('/rotate', { schema: rotate, config: { ...owner, problems: ['too_many_keys'] } }, async (request) =>
    users.rotate(byOwnerKey(request.caller), request.query.graceSeconds),
  );

  app.post(
    '/renew',
    { schema: renew, config: { ...owner, allowExpired: true, problems: ['renew_too_early'] } },
    async (request) => users.record(await users.renew(byOwnerKey(request.caller)), presentedKey(request)),
  );

  app.delete('', { schema: erase, config: owner }, async ({ caller }, reply) => {
    await users.erase(byOwnerKey(caller));
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
