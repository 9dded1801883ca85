import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ProblemCode } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/responses/static-content';
import { assertRegistrationOpen, email, renewalLink } from '#users/registration';
import { userRecord } from '#users/users-records';
import type { RegistrationSettings } from '#users/users-settings';
import type { Recovery, VerifiedRegistration } from './registration.ts';

/** The maximum size in bytes of a body, which contains an address or a one-time code. */
const MAX_BYTES = 4 * 1024;

const tokenBody = z.object({
  token: z
    .string('must be a string')
    // A code that is copied from an email can contain spaces and line breaks.
    .overwrite((text) => text.replace(/\s+/g, ''))
    .min(1, 'is empty')
    .max(200, 'is too long')
    .meta({
      description: 'The one-time code from the email',
      fix: 'the whole one-time code from the email',
      examples: ['Zk5tYUxQd0hXb1JjVGdNdVhqS2VEdkJzTnlGaUE0cVI'],
    }),
});

const recover = {
  tags: ['users'],
  summary: 'Request a recovery email',
  description:
    'Sends one email, which contains a one-time code for each user with this address. Use this call if you have lost the ' +
    'owner key. The codes are valid for 30 minutes. The response is the same for registered and unregistered ' +
    'addresses. An address receives at most one email every five minutes and five emails a day. A user whose ' +
    'keys were revoked by the operator receives no code.',
  operationId: 'requestRecovery',
  consumes: ['application/json'],
  body: z.object({ email }),
  response: { 202: z.undefined().meta({ description: 'If the address is registered, the service sends an email' }) },
};

const confirm = {
  tags: ['users'],
  summary: 'Get a new owner key with a one-time code',
  description:
    'Returns a new owner key and revokes the old owner keys. The process that handles the request rejects ' +
    'the old keys immediately. All other processes reject them within 5 seconds. Keys with other scopes ' +
    'remain valid. A one-time code can be used only once. Using a code invalidates the other codes of the ' +
    'user.',
  operationId: 'confirmRecovery',
  consumes: ['application/json'],
  body: tokenBody,
  response: { 200: userRecord },
};

const verify = {
  tags: ['users'],
  summary: 'Verify the email address of a registration',
  description:
    'Creates the user and returns the owner key. Use this call with the one-time code from the email if ' +
    '`POST /v1/user/create` responded with 202. The plan starts with this call. The key expires at ' +
    '`validUntil`. The `Link` header links to the renewal call. If the service does not verify email ' +
    'addresses, all codes are rejected.',
  operationId: 'verifyUser',
  consumes: ['application/json'],
  body: tokenBody,
  response: { 201: userRecord },
};

const PROBLEMS: ProblemCode[] = ['unsupported_media_type', 'overloaded', 'database_unavailable'];

type MailServices = { recovery: Recovery; registration: VerifiedRegistration };

type Options = {
  mail: MailServices | undefined;
  bodies: RequestBodies;
  settings: Pick<RegistrationSettings, 'basePath' | 'registration'>;
};

/** These routes require no key: the user may have lost the key, or may not have a key yet. */
export const userMail: FastifyPluginAsyncZod<Options> = async (app, { mail, bodies, settings }) => {
  readJsonBodies(app, bodies, { limit: MAX_BYTES, callerOf: ({ client }) => client });
  neverStored(app);
  const services = mail as MailServices;
  const config = { open: true, sameSite: true, needsMail: true, perClient: 'calls of this kind' } as const;
  const open = (...problems: ProblemCode[]) => ({ ...config, problems: [...PROBLEMS, ...problems] });

  app.post('/recover', { schema: recover, config: open() }, async ({ body }, reply) => {
    await services.recovery.request(body.email);
    return reply.code(202).send();
  });

  app.post('/recover/confirm', { schema: confirm, config: open('token_invalid') }, ({ body }) =>
    services.recovery.confirm(body.token),
  );

  app.post(
    '/verify',
    { schema: verify, config: { ...open('token_invalid', 'registration_closed'), headers: ['Link'] } },
    async ({ body }, reply) => {
      assertRegistrationOpen(settings.registration);
      const record = await services.registration.verify(body.token);
      return reply.code(201).header('link', renewalLink(settings.basePath)).send(record);
    },
  );
};
