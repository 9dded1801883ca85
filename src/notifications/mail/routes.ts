import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { refuseClosed } from '#accounts/gate/guard';
import { clientOf } from '#accounts/gate/limits';
import { userRecord } from '#accounts/records';
import type { RegistrationSettings } from '#accounts/settings';
import { email, renewalLink } from '#accounts/users/registration';
import type { ProblemCode } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/replies/static-content';
import type { Recovery, VerifiedRegistration } from './registration.ts';

/** Largest body, in bytes: an address or a one-time code. */
const MAX_BYTES = 4 * 1024;

const tokenBody = z.object({
  token: z
    .string('is not a text')
    .min(1, 'is empty')
    .max(200, 'is too long')
    .meta({
      description: 'The token that was mailed',
      fix: 'the whole token, as the mail has it',
      examples: ['Zk5tYUxQd0hXb1JjVGdNdVhqS2VEdkJzTnlGaUE0cVI'],
    }),
});

const recover = {
  tags: ['users'],
  summary: 'Request a recovery mail',
  description:
    'For whoever has lost the key. Answers the same whether the address is known or not. The address gets one mail that ' +
    'lists its users, each with a token of 30 minutes: at most one in five minutes, and five a day. Users whose keys the ' +
    'operator has revoked are not among them.',
  operationId: 'requestRecovery',
  consumes: ['application/json'],
  body: z.object({ email }),
  response: { 202: z.undefined().meta({ description: 'If the address is known, a mail is on its way' }) },
};

const confirm = {
  tags: ['users'],
  summary: 'Get a new owner key with a mailed token',
  description:
    'The old owner keys are dead at once, here, and within 5 seconds elsewhere; keys with other scopes go on. A token ' +
    'can be used once, and ends the others that its user was mailed.',
  operationId: 'confirmRecovery',
  consumes: ['application/json'],
  body: tokenBody,
  response: { 200: userRecord },
};

const verify = {
  tags: ['users'],
  summary: 'Verify the e-mail address of a registration',
  description:
    'Where `POST /v1/user/create` answered 202: the token that was mailed registers the user, and the term begins now. ' +
    '`validUntil` states when the key expires; `Link` leads to its renewal. ' +
    'Elsewhere there is nothing to verify.',
  operationId: 'verifyUser',
  consumes: ['application/json'],
  body: tokenBody,
  response: { 201: userRecord },
};

const PROBLEMS: ProblemCode[] = ['unsupported_media_type', 'overloaded', 'database_unavailable'];

type MailServices = { recovery: Recovery; registration: VerifiedRegistration };

type Options = {
  /** Undefined if no mail is configured. */
  mail: MailServices | undefined;
  bodies: RequestBodies;
  settings: Pick<RegistrationSettings, 'basePath' | 'registration'>;
};

/** Requires no key: the user may have lost it, or may not have one yet. */
export const userMail: FastifyPluginAsyncZod<Options> = async (app, { mail, bodies, settings }) => {
  readJsonBodies(app, bodies, { limit: MAX_BYTES, callerOf: clientOf });
  neverStored(app);
  const services = mail as MailServices;
  const facts = { open: true, sameSite: true, needsMail: true, perClient: 'calls of this kind' } as const;
  const open = (...problems: ProblemCode[]) => ({ ...facts, problems: [...PROBLEMS, ...problems] });

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
      refuseClosed(settings.registration);
      const record = await services.registration.verify(body.token);
      return reply.code(201).header('link', renewalLink(settings.basePath)).send(record);
    },
  );
};
