import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { byOwnerKey, MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import { keyForm } from '#accounts/keys/key-form';
import { type ApiKeyRecord, apiKeyRecord, createdKeyRecord } from '#accounts/records';
import type { Users } from '#accounts/users/users';
import { type Clock, iso, isoOrNull } from '#core/clock';
import { Problem } from '#core/problems';
import { neverStored } from '#server/replies/static-content';

const id = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'must be the ID of a key')
  .transform(Number)
  .meta({
    description: 'The `id` of the key',
    fix: 'an ID from GET /v1/user/keys',
    wire: { type: 'integer', minimum: 1, examples: [7] },
  });

const LARGEST_ID = 2_147_483_647;

const create = (clock: Clock) => ({
  tags: ['users'],
  summary: 'Create a key with limited scopes',
  operationId: 'createKey',
  description:
    'Creates a key for a web page or a script. The key has fewer scopes than the owner key and cannot manage ' +
    'the account. All keys of a user share the allowance and the burst limit. The key is returned only once. ' +
    `A user can have up to ${MAX_KEYS_PER_USER} active keys.`,
  querystring: keyForm(clock),
  response: { 201: createdKeyRecord },
});

const list = {
  tags: ['users'],
  summary: 'List the keys of the user',
  operationId: 'listKeys',
  description:
    'Returns the properties of all active keys, newest first. The keys themselves are not returned. ' +
    '`lastUsedAt` is accurate to the minute. It is usually updated within two seconds. A user whose plan has ' +
    'expired can still call this endpoint.',
  response: { 200: z.array(apiKeyRecord).meta({ description: 'The active keys, newest first' }) },
};

const remove = {
  tags: ['users'],
  summary: 'Revoke a key',
  operationId: 'revokeKey',
  description:
    'Revokes the key. The process that handles the request rejects the key immediately. All other processes ' +
    'reject it within 5 seconds. The last owner key cannot be revoked: rotate the key, or delete the user. ' +
    'If the key has already expired or been revoked, nothing changes.',
  params: z.object({ id }),
  response: { 204: z.undefined().meta({ description: 'The key is no longer valid' }) },
};

type Stored = Awaited<ReturnType<Users['listKeys']>>[number];

const toRecord = ({ id, label, scopes, start, seenOrigin, ...at }: Stored): ApiKeyRecord => ({
  id,
  label,
  scopes: [...scopes],
  start,
  createdAt: iso(at.createdAt),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  expiresAt: isoOrNull(at.expiresAt),
  replacedAt: isoOrNull(at.replacedAt),
  ...(seenOrigin !== null && { seenOrigin }),
});

type Options = { users: Users; clock: Clock };

/** A replaced owner key may list the keys, but not change them. */
export const userKeys: FastifyPluginAsyncZod<Options> = async (app, { users, clock }) => {
  neverStored(app);

  const facts = { cost: 0, scope: 'account' } as const;

  app.post(
    '/keys',
    { schema: create(clock), config: { ...facts, problems: ['too_many_keys'] } },
    async (request, reply) => {
      const { label, scopes, expiresAt = null } = request.query;
      const made = await users.createKey(byOwnerKey(request.caller), { label, scopes, expiresAt });
      return reply.code(201).send({
        id: made.id,
        label,
        scopes: [...scopes],
        apiKey: made.apiKey,
        start: made.start,
        createdAt: iso(made.createdAt),
        expiresAt: isoOrNull(expiresAt),
      });
    },
  );

  app.get('/keys', { schema: list, config: { ...facts, allowExpired: true } }, async ({ caller }) =>
    (await users.listKeys(caller.user.key)).map(toRecord),
  );

  app.delete(
    '/keys/:id',
    { schema: remove, config: { ...facts, problems: ['not_found', 'last_owner_key'] } },
    async (request, reply) => {
      const { caller, params } = request;
      if (params.id > LARGEST_ID) throw new Problem('not_found', 'The user has no key with this ID.');
      await users.deleteKey(byOwnerKey(caller), params.id);
      return reply.code(204).send();
    },
  );
};
