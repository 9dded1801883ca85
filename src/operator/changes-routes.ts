import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { adminOf } from '#core/actor';
import { GRACE_SECONDS } from '#keys/api-key';
import { PLAN_NAMES } from '#users/plan';
import type { AdminServices } from './open-operator.ts';
import { operatorUser, rotatedUser } from './operator-records.ts';
import { assertRecordNumbers, calls, integer, keyId, singleLineText, userKey } from './parameters.ts';

const params = z.object({ key: userKey });
const consumes = ['application/json'];
const reason = singleLineText('The reason, for the user and the audit log', 'Unusual traffic: contact us.', 500);

const changed = { params, tags: ['changes'], consumes, response: { 200: operatorUser } };

const suspend = {
  ...changed,
  summary: 'Suspend a user',
  operationId: 'suspendUser',
  description:
    'All calls respond with 403 `account_suspended` and the reason: immediately in this process, and within 5 seconds ' +
    'in all others. The user can still read `GET /v1/user/data` and `GET /v1/user/usage`. A second suspension replaces ' +
    'the reason.',
  body: z.object({ reason }),
};

const resume = {
  ...changed,
  summary: 'Resume a suspended user',
  operationId: 'resumeUser',
  description: 'The keys work again within 5 seconds. A user who is not suspended does not change.',
  body: z.object({
    reason: singleLineText('The reason, for the audit log and exports', 'The user has fixed the script.', 500),
  }),
};

const plan = {
  ...changed,
  summary: 'Change the plan',
  operationId: 'changePlan',
  description:
    '`now`: a new period and a new term of the plan start immediately, with the whole limit; the calls of the old ' +
    'period remain counted in it. `next`: the plan changes at the end of the current period; until then, another change ' +
    'of the plan replaces this one. A user whose plan has expired has the new plan from the next renewal on.',
  body: z.object({
    plan: z
      .enum(PLAN_NAMES, `must be ${PLAN_NAMES.join(' or ')}`)
      .meta({ description: 'The new plan', fix: `one of ${PLAN_NAMES.join(', ')}`, examples: ['yearly'] }),
    from: z
      .enum(['now', 'next'], 'must be now or next')
      .meta({ description: 'When the plan changes', fix: 'now or next', examples: ['next'] }),
    limit: calls('Calls allowed per period; by default, the limit of the plan', 0, 180000).optional(),
  }),
};

const setLimit = {
  ...changed,
  summary: 'Set the calls allowed per period',
  operationId: 'setLimit',
  description: 'Applies to the current period and all later periods. Credits are added to the limit.',
  body: z.object({ limit: calls('Calls allowed per period', 0, 20000) }),
};

const credits = {
  ...changed,
  summary: 'Grant additional calls for the current period',
  operationId: 'grantCredits',
  description: 'Calls that are left at the end of the period are lost.',
  body: z.object({
    calls: calls('Additional calls', 1, 500),
    reason: singleLineText('The reason', 'Compensation for the outage', 500),
  }),
};

const rotate = {
  ...changed,
  summary: "Replace the user's owner keys",
  operationId: 'rotateUser',
  description:
    'Returns a new owner key, which cannot be read again. The old owner keys remain valid for the grace period, for ' +
    'reading only.',
  body: z.object({
    graceSeconds: integer(0, GRACE_SECONDS.max)
      .default(GRACE_SECONDS.default)
      .meta({
        description: 'How long the old owner keys remain valid for reading, in seconds',
        fix: `an integer from 0 to ${GRACE_SECONDS.max}`,
      }),
  }),
  response: { 200: rotatedUser },
};

const renew = {
  params,
  tags: ['changes'],
  summary: 'Renew the plan',
  operationId: 'renewUser',
  description:
    'Adds one period, up to one period ahead of the current one. For an expired user, starts a new term now.',
  response: { 200: operatorUser },
};

const erase = {
  params,
  tags: ['changes'],
  summary: 'Erase a user',
  operationId: 'eraseUser',
  description:
    'Revokes all keys and deletes the name, the email address, the settings and the credits. The record number, the ' +
    'call counts and the audit events are kept. This cannot be undone.',
  response: { 204: z.undefined().meta({ description: 'Erased' }) },
};

const revokeKey = {
  params: z.object({ key: userKey, id: keyId }),
  tags: ['changes'],
  summary: 'Revoke a key',
  operationId: 'revokeUserKey',
  description: 'The last owner key cannot be revoked: rotate it, or suspend or erase the user.',
  response: { 204: z.undefined().meta({ description: 'Revoked' }) },
};

/** Each change adds an audit event with the ID of its request. */
export const userChanges: FastifyPluginAsyncZod<Pick<AdminServices, 'changes'>> = async (app, { changes }) => {
  const config = { problems: ['not_found', 'user_erased'] as const };
  app.addHook('preHandler', async ({ params }) => {
    assertRecordNumbers(...Object.values(params as Record<string, number>));
  });

  app.post('/users/:key/suspend', { schema: suspend, config }, async (request) =>
    changes.suspend(adminOf(request), request.params.key, request.body.reason),
  );

  app.post('/users/:key/resume', { schema: resume, config }, async (request) =>
    changes.resume(adminOf(request), request.params.key, request.body.reason),
  );

  app.post('/users/:key/plan', { schema: plan, config }, async (request) =>
    changes.plan(adminOf(request), request.params.key, request.body),
  );

  app.post('/users/:key/limit', { schema: setLimit, config }, async (request) =>
    changes.limit(adminOf(request), request.params.key, request.body.limit),
  );

  app.post('/users/:key/credits', { schema: credits, config }, async (request) =>
    changes.credits(adminOf(request), request.params.key, request.body),
  );

  app.post(
    '/users/:key/rotate',
    { schema: rotate, config: { problems: [...config.problems, 'too_many_keys'] } },
    async (request) => changes.rotate(adminOf(request), request.params.key, request.body.graceSeconds),
  );

  app.post(
    '/users/:key/renew',
    { schema: renew, config: { problems: [...config.problems, 'renew_too_early'] } },
    async (request) => changes.renew(adminOf(request), request.params.key),
  );

  app.delete('/users/:key', { schema: erase, config }, async (request, reply) => {
    await changes.erase(adminOf(request), request.params.key);
    return reply.code(204).send();
  });

  app.delete(
    '/users/:key/keys/:id',
    { schema: revokeKey, config: { problems: [...config.problems, 'last_owner_key'] } },
    async (request, reply) => {
      await changes.revokeKey(adminOf(request), request.params.key, request.params.id);
      return reply.code(204).send();
    },
  );
};
