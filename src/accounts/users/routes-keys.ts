import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { byOwnerKey, MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import { keyChangesForm, keyForm } from '#accounts/keys/key-form';
import { type ApiKeyRecord, apiKeyRecord, createdKeyRecord } from '#accounts/records';
import type { Users } from '#accounts/users/users';
import { type Clock, iso, isoOrNull } from '#core/clock';
import { Problem } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
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

/** The largest body of a change, in bytes. It contains a fully escaped label of 100 characters. */
const MAX_BYTES = 4 * 1024;
const LARGEST_ID = 2_147_483_647;

const create = (clock: Clock) => ({
  tags: ['keys'],
  summary: 'Create a key with limited scopes',
  operationId: 'createKey',
  description:
    'Creates a key for a web page or a script. The key has fewer scopes than the owner key and cannot manage ' +
    'the account. All keys of a user share the allowance and the burst limit. `dailyLimit` also limits the calls of ' +
    'this key per UTC day, and `allowedOrigins` limits the web pages that can use it. The key is returned only once. ' +
    `A user can have up to ${MAX_KEYS_PER_USER} active keys.`,
  querystring: keyForm(clock),
  response: { 201: createdKeyRecord },
});

const list = {
  tags: ['keys'],
  summary: 'List the keys of the user',
  operationId: 'listKeys',
  description:
    'Returns the properties of all active keys, newest first. The keys themselves are not returned. ' +
    '`lastUsedAt` is accurate to the minute. It is usually updated within two seconds. A user whose plan has ' +
    'expired can still call this endpoint.',
  response: { 200: z.array(apiKeyRecord).meta({ description: 'The active keys, newest first' }) },
};

const change = (clock: Clock) => ({
  tags: ['keys'],
  summary: 'Change a key',
  operationId: 'updateKey',
  description:
    'Accepts a JSON object with the members to change. Other members stay as they are, and null removes an expiry, ' +
    'a limit or a restriction. The change takes effect immediately in the process that handles the request, and within 5 seconds in ' +
    'all others. An owner key always has all scopes, expires only with its user and can be used from everywhere, so ' +
    'only its label and its daily limit can be changed. A key that was replaced or revoked, or has expired, cannot be ' +
    'changed.',
  consumes: ['application/json'],
  params: z.object({ id }),
  body: keyChangesForm(clock),
  response: { 200: apiKeyRecord },
});

const remove = {
  tags: ['keys'],
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

const toRecord = ({
  id,
  label,
  scopes,
  start,
  dailyLimit,
  allowedOrigins,
  seenOrigin,
  ...at
}: Stored): ApiKeyRecord => ({
  id,
  label,
  scopes: [...scopes],
  start,
  createdAt: iso(at.createdAt),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  expiresAt: isoOrNull(at.expiresAt),
  dailyLimit,
  allowedOrigins: allowedOrigins && [...allowedOrigins],
  replacedAt: isoOrNull(at.replacedAt),
  ...(seenOrigin !== null && { seenOrigin }),
});

type Options = { users: Users; bodies: RequestBodies; clock: Clock };

function knownId(id: number): number {
  if (id > LARGEST_ID) throw new Problem('not_found', 'The user has no key with this ID.');
  return id;
}

/** A replaced owner key may list the keys, but not change them. */
export const userKeys: FastifyPluginAsyncZod<Options> = async (app, { users, bodies, clock }) => {
  neverStored(app);

  const facts = { cost: 0, scope: 'account' } as const;

  app.post(
    '/keys',
    { schema: create(clock), config: { ...facts, problems: ['too_many_keys'] } },
    async (request, reply) => {
      const { label, scopes, expiresAt = null, dailyLimit = null, allowedOrigins = null } = request.query;
      const terms = { label, scopes, expiresAt, dailyLimit, allowedOrigins };
      const made = await users.createKey(byOwnerKey(request.caller), terms);
      return reply.code(201).send({
        id: made.id,
        label,
        scopes: [...scopes],
        apiKey: made.apiKey,
        start: made.start,
        createdAt: iso(made.createdAt),
        expiresAt: isoOrNull(expiresAt),
        dailyLimit,
        allowedOrigins: allowedOrigins && [...allowedOrigins],
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
      await users.deleteKey(byOwnerKey(request.caller), knownId(request.params.id));
      return reply.code(204).send();
    },
  );

  app.register(async (changing) => {
    readJsonBodies(changing, bodies, { limit: MAX_BYTES });
    changing
      .withTypeProvider<ZodTypeProvider>()
      .patch(
        '/keys/:id',
        { schema: change(clock), config: { ...facts, problems: ['not_found', 'unsupported_media_type'] } },
        async ({ caller, params, body }) =>
          toRecord(await users.updateKey(byOwnerKey(caller), knownId(params.id), body)),
      );
  });
};
